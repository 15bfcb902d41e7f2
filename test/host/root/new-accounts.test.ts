import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AccountCommand } from '../../../src/subjects/accounts/accounts.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { openRootedMachine } from '../../../src/host/root/rooted-machine.ts'
import { whyNoRoot } from '../../support/account-root.ts'
import { numbersFrom } from '../../support/numbers.ts'
import { cases } from '../../support/soak.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { ACCOUNTS } from '../../../src/subjects/accounts/subject.ts'

const COUNT = cases({ usual: 40, soak: 3000 })

type Draw = <Value>(values: readonly Value[]) => Value

/** The files of a system with accounts of every kind, drawn. */
function drawFiles(one: Draw): Readonly<Record<string, string>> {
  const people = one([
    '',
    'old:x:1500:1500::/home/old:/bin/sh\n',
    'top:x:60000:100::/:/bin/sh\n',
    'low:x:101:100::/:/bin/sh\n',
  ])
  const shadow = `root:*:19000:0:99999:7:::\nann:$6$x$y:19000:0:99999:7:::\n${one(['', '', 'new:$6$lost:1::::::\n'])}`
  const groups = one(['', 'old:x:1500:\n', 'taken:x:1002:\n', 'new:x:1700:\n', 'web2:x:999:\n'])
  const gshadow = one([undefined, 'root:*::\nstaff:*::ann\nann:!::\nweb:!:ann:ann\n', 'root:*::\nnew:!::\n'])
  const subuid = one([
    undefined,
    '',
    'ann:100000:65536\n',
    'ann:100000:65536\nold:231072:65536\n',
    'new:5000000:10\n',
    'ann:90000:20000\n',
  ])
  const defs = [
    'GID_MIN 1000\nGID_MAX 60000\nUID_MIN\t\t 1000\nUID_MAX 60000\n# UMASK 077\nMAIL_DIR /var/mail\n',
    one(['', 'USERGROUPS_ENAB yes\n', 'USERGROUPS_ENAB yes\n', 'USERGROUPS_ENAB no\n']),
    one(['', 'UMASK 022\n', 'UMASK 027\n', 'UMASK 022\nHOME_MODE 0700\n']),
    one(['', 'PASS_MAX_DAYS 90\nPASS_MIN_DAYS 1\nPASS_WARN_AGE 7\n', 'PASS_MAX_DAYS -1\n']),
    one(['', 'SUB_UID_COUNT 0\n', 'SUB_UID_COUNT 1000\nSUB_GID_MIN 200000\n']),
    one(['', 'SYS_UID_MIN 100\nSYS_UID_MAX 500\nSYS_GID_MIN 100\nSYS_GID_MAX 600\n']),
  ].join('')
  const defaults = one([
    undefined,
    'SHELL=/bin/sh\n',
    '# GROUP=50\nSHELL=/bin/zsh\nGROUP=100\nHOME=/srv/h\nINACTIVE=30\nEXPIRE=2031-01-02\nCREATE_MAIL_SPOOL=yes\n',
    'INACTIVE=-1\nEXPIRE=\nSKEL=/etc/other\nCREATE_MAIL_SPOOL=no\nGROUP=staff\n',
  ])
  const files = {
    passwd: `root:x:0:0:root:/root:/bin/sh\nann:x:1001:1001:Ann:/home/ann:/bin/sh\n${people}`,
    shadow: one([shadow, shadow, shadow, undefined]),
    group: `root:x:0:\nmail:x:8:\nstaff:x:50:ann\nusers:x:100:\nann:x:1001:\nweb:x:1040:ann\nsys1:x:990:\n${groups}`,
    gshadow,
    subuid,
    subgid: subuid,
    'login.defs': defs,
    'default/useradd': defaults,
    'skel/.profile': 'umask 022\n',
    'skel/bin/run': '#!/bin/sh\n',
    'other/file': 'x\n',
  }
  return Object.fromEntries(Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function makeRoot(one: Draw): string {
  const root = temporaryDirectory()
  for (const [name, text] of Object.entries(drawFiles(one))) {
    mkdirSync(dirname(join(root, 'etc', name)), { recursive: true })
    writeFileSync(join(root, 'etc', name), text, { mode: name === 'skel/bin/run' ? 0o750 : 0o640 })
  }
  symlinkSync('/etc/skel/.profile', join(root, 'etc/skel/link'))
  symlinkSync('../.profile', join(root, 'etc/skel/bin/link'))
  for (const name of ['proc', 'usr', 'var']) mkdirSync(join(root, name))
  if (one([true, true, false])) mkdirSync(join(root, 'var/mail'), { mode: 0o775 })
  // A link in place of the directory of homes leads back inside.
  if (one([true, false])) mkdirSync(join(root, 'home'))
  else {
    mkdirSync(join(root, 'data/homes'), { recursive: true })
    symlinkSync('data/homes', join(root, 'home'))
  }
  if (one([true, false, false])) mkdirSync(join(root, 'home/new'))
  return root
}

function drawCommand(one: Draw): AccountCommand {
  const options = [
    one([[], [], ['-u', one(['1002', '1001', '500', '70000', '50', '1700'])]]),
    one([[], [], ['-g', one(['web', '100', 'missing', '4444'])]]),
    one([[], ['-G', one(['web', 'staff,web', 'web,missing', 'users'])]]),
    one([[], ['-d', one(['/srv/a/b', '/home/new2'])]]),
    one([[], ['-s', '/bin/false']]),
    one([[], ['-c', 'Somebody \u00e9lse']]),
    one([[], ['-e', '2031-02-03']]),
  ].flat()
  const kind = one([[], [], ['-r']])
  return ['useradd', ...kind, one(['-m', '-m', '-M']), ...options, one(['new', 'new', 'new', 'ann'])]
}

const RECORDS = ['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid']

/** Everything below but the copies that the programs of shadow leave of each file, and times. */
function stateOf(root: string): string {
  const left = ['.pwd.lock', ...RECORDS.map((name) => `${name}-`)].map((name) => `! -path './etc/${name}'`).join(' ')
  const state = `find . -path ./proc -prune -o ${left} -printf '%P %y %m %U %G %l\\n' | sort; find . -path ./proc -prune -o -type f ${left} -print0 | sort -z | xargs -0 grep -a ''`
  return execFileSync('sh', ['-c', state], { cwd: root, encoding: 'utf8' })
}

async function byUs(root: string, command: AccountCommand): Promise<string> {
  const opened = openRootedMachine(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  const accounts = opened.machine.openRemediator(NO_JOURNAL).open(ACCOUNTS)
  const outcome = await accounts.change([command], new AbortController().signal)
  return outcome.kind === 'failed' ? outcome.message : ''
}

/** useradd looks into /proc to copy directories. */
function byShadow(root: string, [program, ...args]: AccountCommand): string {
  const inside = 'mount -t proc proc "$0/proc" && exec "$@"'
  const command = ['--mount', 'sh', '-c', inside, root, program, '--root', root, ...args]
  const { status, stderr } = spawnSync('unshare', command, { encoding: 'utf8' })
  return status === 0 ? '' : `${program} ended with ${status}: ${stderr}`
}

describe.skipIf(whyNoRoot() ?? (spawnSync('useradd', ['--help']).status === 0 ? undefined : 'needs useradd'))(
  'accounts of a system that does not run',
  () => {
    test(`are made as useradd makes them, ${COUNT} times`, async () => {
      const random = numbersFrom(Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1))
      const one: Draw = (values) => values[Math.floor(random() * values.length)] as (typeof values)[number]
      const wrong: unknown[] = []
      let made = 0
      for (let index = 0; index < COUNT; index++) {
        const ours = makeRoot(one)
        const theirs = temporaryDirectory()
        cpSync(ours, theirs, { recursive: true, verbatimSymlinks: true })
        const before = stateOf(ours)
        const command = drawCommand(one)
        const expected = byShadow(theirs, command)
        const why = await byUs(ours, command)
        const [done, wanted] = [stateOf(ours), expected === '' ? stateOf(theirs) : before]
        const lines = (text: string): readonly string[] => text.split('\n')
        const only = (some: string, other: string) => lines(some).filter((line) => !lines(other).includes(line))
        if ((why === '') !== (expected === '') || done !== wanted) {
          wrong.push({
            index,
            command,
            expected,
            why,
            ours: only(done, wanted),
            theirs: only(wanted, done),
          })
        } else if (why === '') made++
      }
      expect(wrong.slice(0, 4)).toEqual([])
      expect(made).toBeGreaterThan(COUNT / 4)
    }, 120_000)
  },
)
