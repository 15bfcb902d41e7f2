import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AccountCommand } from '../../../src/subjects/accounts/accounts.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { openRootedMachine } from '../../../src/host/root/rooted-machine.ts'
import { numbersFrom } from '../../support/numbers.ts'
import { isLeft } from '../../../src/engine/undo/put-back.ts'
import { cases } from '../../support/soak.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { fixAndUndo } from '../../support/undo.ts'
import { ACCOUNTS } from '../../../src/subjects/accounts/subject.ts'

const COUNT = cases({ usual: 50, soak: 2000 })
const FILES = ['passwd', 'shadow', 'group', 'gshadow'] as const

const TEXTS = {
  passwd:
    'root:x:0:0:root:/root:/bin/sh\nann:x:1001:1001:Ann \u00fc:/home/ann:/bin/sh\nbob:x:1002:1001::/home/bob:/bin/false\n',
  shadow: 'root:*:19000:0:99999:7:::\nann:$6$x$y:19000:0:99999:7:::\nbob:!:19000::::::\n',
  group: 'root:x:0:\nstaff:x:50:ann\nann:x:1001:\nweb:x:1040:ann,bob\nsys1:x:990:\n',
  gshadow: 'root:*::\nstaff:*::ann\nann:!::\nweb:!:ann:ann,bob\n',
  'login.defs': 'GID_MIN 1000\nGID_MAX 60000\nSYS_GID_MIN 100\nSYS_GID_MAX 999\nUSERGROUPS_ENAB yes\n',
}

function makeRoot(hasShadowedGroups: boolean): string {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'etc'))
  for (const [name, text] of Object.entries(TEXTS)) {
    if (name !== 'gshadow' || hasShadowedGroups) writeFileSync(join(root, 'etc', name), text, { mode: 0o640 })
  }
  return root
}

function draw(random: () => number): AccountCommand {
  const one = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value
  const name = one(['ann', 'bob', 'bob', 'nobody-there'])
  const group = one(['staff', 'web', 'sys1', 'new', 'missing'])
  const days = one(['-1', '0', '7', '365'])
  return one<AccountCommand>([
    ['usermod', '-L', name],
    ['usermod', one(['-s', '-d']), one(['/bin/bash', '/srv/x']), name],
    ['usermod', '-c', one(['', 'Somebody \u00e9lse']), '-s', '/bin/zsh', name],
    ['usermod', '-G', one(['', 'web', 'staff,web', 'web,missing', 'sys1']), name],
    ['chage', one(['-m', '-M', '-W', '-I']), days, name],
    ['chage', '-E', one(['-1', '2031-02-03', '1970-01-01']), '-M', '90', name],
    ['groupadd', one(['new', 'web'])],
    ['groupadd', '-r', 'new'],
    ['groupadd', '-g', one(['1005', '50']), 'new'],
    ['gpasswd', '-a', name, group],
    ['gpasswd', '-d', one(['ann', 'bob']), one(['staff', 'web'])],
  ])
}

const recordsIn = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    FILES.filter((name) => existsSync(join(root, 'etc', name))).map((name) => [
      name,
      readFileSync(join(root, 'etc', name), 'latin1'),
    ]),
  )

async function byUs(root: string, command: AccountCommand): Promise<string> {
  const opened = openRootedMachine(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  const accounts = opened.machine.openRemediator(NO_JOURNAL).open(ACCOUNTS)
  const outcome = await accounts.change([command], new AbortController().signal)
  return outcome.kind === 'failed' ? outcome.message : ''
}

function byShadow(root: string, [program, ...args]: AccountCommand): string {
  const { status, stderr } = spawnSync(program, ['--root', root, ...args], { encoding: 'utf8' })
  return status === 0 ? '' : `${program} ended with ${status}: ${stderr}`
}

describe.skipIf(needsRoot)('records of a system that does not run', () => {
  test(`are changed as the tools of shadow do it, ${COUNT} times`, async () => {
    const random = numbersFrom(Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1))
    const wrong: unknown[] = []
    let changed = 0
    for (let index = 0; index < COUNT; index++) {
      const ours = makeRoot(random() < 0.8)
      const theirs = temporaryDirectory()
      cpSync(ours, theirs, { recursive: true })
      const before = recordsIn(ours)
      const command = draw(random)
      const [expected, why] = [byShadow(theirs, command), await byUs(ours, command)]
      const left = readdirSync(join(ours, 'etc')).filter((name) => name.includes('lock') || name.startsWith('.'))
      const [done, wanted] = [recordsIn(ours), expected === '' ? recordsIn(theirs) : before]
      const isRight = (why === '') === (expected === '') && JSON.stringify(done) === JSON.stringify(wanted)
      if (!isRight || left.length > 0) wrong.push({ index, command, expected, why, done, wanted, left })
      if (JSON.stringify(before) !== JSON.stringify(done)) changed++
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(changed).toBeGreaterThan(COUNT / 3)
  }, 120_000)

  test('are as they were after an undo, and the home and the mailbox that useradd made are gone', async () => {
    const root = makeRoot(true)
    for (const name of ['srv', 'var/mail', 'etc/default']) mkdirSync(join(root, name), { recursive: true })
    writeFileSync(join(root, 'etc/default/useradd'), 'HOME=/srv/homes\nCREATE_MAIL_SPOOL=yes\n')
    const opened = openRootedMachine(root)
    if (opened.kind === 'refused') throw new Error(opened.message)
    const made = ['srv/homes/eve', 'srv/x/y', 'var/mail/eve', 'var/mail/zoe']
    const isMade = (name: string): boolean => existsSync(join(root, name))
    const stateOf = () => [recordsIn(root), readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()]
    const before = stateOf()
    const { taken } = await fixAndUndo(
      async (remediatorFor) => {
        const add: readonly AccountCommand[] = [
          ['useradd', '-m', 'eve'],
          ['useradd', '-m', '-d', '/srv/x/y', 'zoe'],
        ]
        for (const command of add) {
          const { signal } = new AbortController()
          expect(await remediatorFor('it').open(ACCOUNTS).change([command], signal)).toEqual({ kind: 'done' })
        }
      },
      () => expect(made.filter(isMade)).toEqual(made),
      opened.machine,
    )
    expect(taken.flatMap(({ things }) => things).filter(isLeft)).toEqual([])
    expect(stateOf()).toEqual(before)
  })

  test('wait for no other program, and leave a lock of one that is gone behind', async () => {
    const root = makeRoot(true)
    const lock = join(root, 'etc/passwd.lock')
    writeFileSync(lock, String(process.pid))
    const before = recordsIn(root)
    expect(await byUs(root, ['usermod', '-L', 'ann'])).toMatch(
      /another program is changing accounts: it holds \/etc\/passwd\.lock/,
    )
    expect(recordsIn(root)).toEqual(before)
    writeFileSync(lock, '4194305')
    expect(await byUs(root, ['usermod', '-L', 'ann'])).toBe('')
    expect([recordsIn(root)['shadow'], existsSync(lock)]).toEqual([before['shadow']?.replace('ann:', 'ann:!'), false])
  })
})
