// A state that root sees as compliant is unknown, never compliant, to a user who may not read its files.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { resourceTypes } from '../support/resource-types.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { auditResource } from '../../src/testing/index.ts'
import { put } from '../support/contract.ts'
import { debianWith, grubMenu } from '../support/grub-machine.ts'
import { machineIn } from '../support/setting-machine.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'

const HASH = `grub.pbkdf2.sha512.10000.${'AB'.repeat(8)}.${'CD'.repeat(8)}`
const SET = `set superusers="root"\npassword_pbkdf2 root ${HASH}\n`
const WITH_PASSWORD = {
  '/boot/grub/grub.cfg': `### BEGIN /etc/grub.d/40_custom ###\n${SET}### END /etc/grub.d/40_custom ###\n${grubMenu('')}`,
  '/etc/grub.d/40_custom': `#!/bin/sh\ncat << EOF\n${SET}EOF\n`,
}

const NOBODY = 65_534

interface Case {
  readonly type: string
  readonly wanted: object
  readonly files: Readonly<Record<string, string>>
  readonly hidden: string
}

const CASES: readonly Case[] = [
  {
    type: 'boot_argument',
    wanted: { name: 'audit', value: '1' },
    files: debianWith('audit=1'),
    hidden: '/boot/grub/grub.cfg',
  },
  {
    type: 'boot_argument',
    wanted: { name: 'init', ensure: 'absent' },
    files: debianWith(''),
    hidden: '/etc/default/grub',
  },
  { type: 'boot_password', wanted: { name: 'grub' }, files: WITH_PASSWORD, hidden: '/boot/grub/grub.cfg' },
  { type: 'boot_password', wanted: { name: 'grub' }, files: WITH_PASSWORD, hidden: '/etc/grub.d/40_custom' },
  {
    type: 'files',
    wanted: { name: '/', named_by: 'rsyslog', mode: { at_most: '0640' }, if_absent: 'compliant' },
    files: { '/etc/rsyslog.conf': '# nothing\n' },
    hidden: '/etc/rsyslog.conf',
  },
]

describe.skipIf(needsRoot)('unknown is never compliant for an ordinary user', () => {
  test.each(CASES)('$type where $hidden cannot be read', async ({ type, wanted, files, hidden }) => {
    const directory = temporaryDirectory()
    put(directory, files)
    chmodSync(directory, 0o755)
    chmodSync(join(directory, hidden), 0o700)
    expect(await audit({ type, wanted, directory })).toEqual({ verdict: 'compliant' })
    expect(await asNobody({ type, wanted, directory })).toEqual({ verdict: 'error', reason: 'permission-denied' })
  })

  test('audit_rule where the kernel answers root alone', async () => {
    const question = { type: 'audit_rule', wanted: { name: '-w /etc/shadow -p wa' } }
    expect(await asNobody(question)).toMatchObject({ verdict: expect.stringMatching(/^(?:error|drifted)$/) })
  })
})

interface Question {
  readonly type: string
  readonly wanted: object
  /** Below which its files lie; absent for this machine. */
  readonly directory?: string
}

async function audit({ type: name, wanted, directory }: Question): Promise<unknown> {
  const type = resourceTypes.find((each) => each.type === name)
  if (type === undefined) throw new Error(`there is no type ${name}`)
  const target = directory === undefined ? createLocalTarget() : machineIn(directory)
  const { verdict, reason } = await auditResource(type, { ...wanted }, { target })
  return reason === undefined ? { verdict } : { verdict, reason }
}

async function asNobody(question: Question): Promise<unknown> {
  process.seteuid?.(NOBODY)
  try {
    return await audit(question)
  } finally {
    process.seteuid?.(0)
  }
}
