import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { files } from '../../../../src/subjects/files/walk/index.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { put } from '../../../support/contract.ts'

function group(directory: string): string {
  return String(statSync(directory).gid)
}

// Real directories in the states that count. Every exported value has to be given by one of them.
const scenes: readonly ContractScene[] = [
  {
    title: 'every mode is accepted, and what a link leads to is not looked at',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'outside/open': '', 'tree/a': '' })
      chmodSync(join(directory, 'outside/open'), 0o666)
      chmodSync(join(directory, 'tree/a'), 0o600)
      symlinkSync(join(directory, 'outside/open'), join(directory, 'tree/link'))
      return { name: join(directory, 'tree'), kinds: ['file', 'symlink'], mode: { at_most: '0644' } }
    },
  },
  {
    title: 'modes with surplus bits, at any depth',
    state: 'fixable',
    arrange(directory) {
      put(directory, { a: '', 'b/c/d': '' })
      chmodSync(join(directory, 'b/c/d'), 0o4777)
      return { name: directory, kinds: ['file'], mode: { at_most: '0755' } }
    },
  },
  {
    title: 'a world-writable directory that is not sticky',
    state: 'fixable',
    arrange(directory) {
      mkdirSync(join(directory, 'open'))
      chmodSync(join(directory, 'open'), 0o777)
      return { name: directory, with_mode: { at_least: '0002' }, mode: { at_least: '1000' } }
    },
  },
  {
    title: 'files of another group, and of one that does not exist',
    state: 'compliant',
    arrange(directory) {
      put(directory, { a: '' })
      chmodSync(join(directory, 'a'), 0o666)
      return { name: directory, with_group: { none_of: [group(directory), 'no-such-group'] }, mode: '0600' }
    },
  },
  {
    title: 'modes of the files of one group',
    state: 'fixable',
    arrange(directory) {
      put(directory, { a: '' })
      chmodSync(join(directory, 'a'), 0o666)
      return { name: directory, kinds: ['file'], with_group: group(directory), mode: { at_most: '0640' } }
    },
  },
  {
    title: 'files with a private key, under any name',
    state: 'fixable',
    arrange(directory) {
      put(directory, { notes: 'x\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n', 'a.key': 'a public key' })
      for (const name of ['notes', 'a.key']) chmodSync(join(directory, name), 0o644)
      return { name: directory, holds: 'private_key', mode: { at_most: '0600' } }
    },
  },
  {
    title: 'no file with a private key',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'a.key': '-----BEGIN PUBLIC KEY-----\n' })
      chmodSync(join(directory, 'a.key'), 0o644)
      chmodSync(directory, 0o755)
      return { name: directory, holds: 'private_key', mode: { at_most: '0600' } }
    },
  },
  {
    title: 'something of a kind that must not be there',
    state: 'unfixable',
    arrange(directory) {
      symlinkSync('nowhere', join(directory, 'link'))
      return { name: directory, kind: { not: 'symlink' } }
    },
  },
  {
    title: 'nothing but what is named, at its place',
    state: 'compliant',
    arrange(directory) {
      put(directory, { a: '', 'b/c': '', 'b/x*': '' })
      return { name: directory, only: ['a', 'b', 'b/c', String.raw`b/x\*`, 'gone'] }
    },
  },
  {
    title: 'an entry with a name of another directory',
    state: 'unfixable',
    arrange(directory) {
      put(directory, { a: '', 'b/a': '' })
      return { name: directory, only: ['a', 'b'] }
    },
  },
  {
    title: 'no directory',
    state: 'unfixable',
    arrange: (directory) => ({ name: join(directory, 'none'), mode: '0644' }),
  },
]

for (const { name, run } of contractTests(files, { scenes })) test(name, run)
