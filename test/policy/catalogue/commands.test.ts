import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { splitWords } from '../../../src/model/shell-split.ts'
import { put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

type Files = Readonly<Record<string, string>>

interface Control {
  readonly id: string
  readonly resources: readonly { readonly command?: Readonly<Record<string, { readonly command: string }>> }[]
}

/** What the first command of a control prints on a host with these files instead of a directory. */
function outputOf(control: string, place: string, files: Files): string {
  const [file, id] = control.split('#')
  const controls = parse(readFileSync(`policies/catalogue/${file}.yaml`, 'utf8')) as readonly Control[]
  const [command] = Object.values(controls.find((each) => each.id === id)?.resources[0]?.command ?? {})
  const root = temporaryDirectory()
  put(root, files)
  const split = splitWords((command?.command ?? '').replaceAll(place, root))
  const [program = '', ...args] = split.ok ? split.words : []
  return spawnSync(program, args, { encoding: 'utf8' }).stdout.trim()
}

test.each([
  ['ssh_config', 'Host bastion\nAddressFamily inet', false],
  ['ssh_config', 'Host *\nAddressFamily inet # no IPv6', true],
  ['ssh_config', 'AddressFamily "inet"', true],
  ['ssh_config.d/a.conf', ' AddressFamily=inet6', true],
  ['ssh_config.d/README', 'AddressFamily inet', false],
  ['ssh_config', 'AddressFamily other', false],
  ['ssh_config', 'AddressFamily inet7', false],
])('the address family in %s: %s', (file, line, isSet) => {
  const output = outputOf('ssh-client#ssh-02', '/etc/ssh', {
    ssh_config: '',
    'ssh_config.d/.keep': '',
    [file]: `${line}\n`,
  })
  expect(output !== '').toBe(isSet)
})

// @see Documentation/admin-guide/hw-vuln of the kernel
test.each([
  ['Not affected', true],
  ['Mitigation: PTI', true],
  ['KVM: Vulnerable', false],
  ['Mitigation: Clear CPU buffers; SMT vulnerable', false],
  ['Unknown: No mitigations', false],
])('a CPU that is %j', (text, isFine) => {
  const output = outputOf('processes#os-12', '/sys/devices/system/cpu/vulnerabilities', {
    a: `${text}\n`,
    b: 'Not affected\n',
  })
  expect(output === '').toBe(isFine)
})
