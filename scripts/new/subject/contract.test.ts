import { join } from 'node:path'
import { expect, test } from 'vitest'
import { __ident__ } from '../../../src/subjects/__type__/index.ts'
import { addressOf, withAddress } from '../../../src/subjects/__type__/hosts-file.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { put } from '../../support/contract.ts'

const HOSTS = '127.0.0.1 localhost\n192.0.2.7\tprinter.example.org Printer # second floor\n192.0.2.8 printer\n'

function entry(name: string, address: string, hosts = HOSTS): ContractScene['arrange'] {
  return (directory) => {
    put(directory, { hosts })
    return { name, address, file: join(directory, 'hosts') }
  }
}

const scenes: readonly ContractScene[] = [
  { title: 'the address that is wanted', state: 'compliant', arrange: entry('printer', '192.0.2.7') },
  { title: 'another address', state: 'fixable', arrange: entry('printer', '192.0.2.9') },
  { title: 'a name that is missing', state: 'fixable', arrange: entry('scanner', '192.0.2.9', '') },
  {
    title: 'a file that does not exist',
    state: 'unfixable',
    arrange: (directory) => ({ name: 'printer', address: '192.0.2.7', file: join(directory, 'hosts') }),
  },
]
for (const { name, run } of contractTests(__ident__, { scenes })) test(name, run)

// Expected: getent ahostsv4 NAME of glibc 2.36 on such a file.
test.each([
  ['printer', '192.0.2.7'],
  ['PRINTER.example.org', '192.0.2.7'],
  ['second', undefined],
  ['127.0.0.1', undefined],
])('the address of %s is %s', (name, address) => {
  expect(addressOf(HOSTS, name)).toBe(address)
})

test('a new address leaves other names, comments and lines', () => {
  expect(withAddress(HOSTS, 'printer', '::1')).toBe(
    '127.0.0.1 localhost\n192.0.2.7\tprinter.example.org # second floor\n::1\tprinter\n',
  )
  expect(withAddress('192.0.2.7 printer # old\n', 'printer', '::1')).toBe('# old\n::1\tprinter\n')
  expect(withAddress('192.0.2.7 printer\n', 'printer', '::1')).toBe('::1\tprinter\n')
})
