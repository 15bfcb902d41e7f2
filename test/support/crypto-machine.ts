import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandOutcome } from '../../src/host/command.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import type { Target } from '../../src/host/target.ts'
import { put } from './contract.ts'
import { handsIn, machineIn } from './setting-machine.ts'

const BACKENDS: Readonly<Record<string, string>> = { gnutls: 'SYSTEM=NONE\n', opensshserver: 'Ciphers a,b\n\n' }

/** Lays a machine of Red Hat below a directory, with two policies of two back ends. */
export function cryptoMachine(directory: string, files: Readonly<Record<string, string>> = {}): void {
  const made = Object.entries(BACKENDS).flatMap(([name, text]) => [
    [`usr/share/crypto-policies/DEFAULT/${name}.txt`, text],
    [`usr/share/crypto-policies/FUTURE/${name}.txt`, `${text}# Stricter\n`],
    [`etc/crypto-policies/back-ends/${name}.config`, text],
  ])
  put(directory, {
    'usr/bin/update-crypto-policies': '',
    'proc/sys/crypto/fips_enabled': '0\n',
    'proc/sys/kernel/ostype': 'Linux\n',
    'etc/crypto-policies/config': '# The policy\nDEFAULT\n',
    'etc/crypto-policies/state/current': 'DEFAULT\n',
    'etc/ssh/sshd_config': 'Include /etc/ssh/sshd_config.d/*.conf\n',
    'etc/ssh/sshd_config.d/50-redhat.conf': 'Include /etc/crypto-policies/back-ends/opensshserver.config\n',
    check: '0 The configured policy matches the generated policy',
    ...Object.fromEntries(made),
    ...files,
  })
}

/** Such a machine; what `update-crypto-policies --check` answers stands in the file `check`. */
export function cryptoMachineIn(directory: string): Target {
  return {
    ...machineIn(directory),
    async run() {
      const [, code, said = ''] = /^(\d+) (.*)/.exec(readFileSync(join(directory, 'check'), 'utf8')) ?? []
      return { kind: 'exited', exitCode: Number(code), stdout: said, stderr: '', output: said }
    },
  }
}

/** What a fix works with there: an update-crypto-policies that writes what the real one writes. */
export function cryptoHandsIn(directory: string): Remediator {
  return {
    ...handsIn(directory),
    async run({ argv: [, , policy = ''] }): Promise<CommandOutcome> {
      const [base] = policy.split(':')
      put(directory, {
        'etc/crypto-policies/config': `${policy}\n`,
        'etc/crypto-policies/state/current': `${policy}\n`,
        check: '0 matches',
      })
      for (const name of Object.keys(BACKENDS)) {
        const text = readFileSync(join(directory, `usr/share/crypto-policies/${base}/${name}.txt`), 'utf8')
        put(directory, { [`etc/crypto-policies/back-ends/${name}.config`]: text })
      }
      return { kind: 'exited', exitCode: 0, stdout: '', stderr: '', output: '' }
    },
  }
}
