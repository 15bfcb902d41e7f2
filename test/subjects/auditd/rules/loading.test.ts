import { readFileSync, writeFileSync } from 'node:fs'
import { machine } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { filesBelow } from '../../../../src/host/live/machine-files.ts'
import { readingOf } from '../../../../src/host/live/machine-reading.ts'
import { known } from '../../../../src/model/observation.ts'
import { openResolver } from '../../../../src/subjects/auditd/live/resolve.ts'
import { linesOf } from '../../../../src/subjects/auditd/rules/augenrules.ts'
import { type AuditLayer, loadLines } from '../../../../src/subjects/auditd/rules/layers.ts'
import { syscallsOf } from '../../../../src/subjects/auditd/rules/syscalls.ts'
import { parseLine } from '../../../../src/subjects/auditd/rules/parse.ts'
import { type AuditRule, printLine } from '../../../../src/subjects/auditd/rules/rule.ts'
import { kernelProblem, respelled, RULE_PIECES, spelled, withKernelRules } from '../../../support/audit-rules.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

/** Lines that cannot lock the rules, stop the kernel or record what this machine does. */
const OTHER_LINE = fc.constantFrom(
  '',
  '# a comment',
  ' # a comment',
  '-D',
  '-D -k x1',
  '-i',
  '-c',
  '-b 100',
  '-b 0x80',
  '-b 200 ',
  '-b 300 -f 0',
  '-b many',
  '-f 0',
  '-f 3',
  '-r 100',
  '--backlog_wait_time 6000',
  '--backlog_wait_time=7000',
  '--backlog 8000',
  '-w /etc/passwd -p wa -k x1',
  '-w /etc/passwd',
  '-w/etc/group -pwa',
  '-w /etc -p wa -k "x1"',
  '-w /etc/skel/ -p w',
  '-w /etc/nothing -p wa',
  '-a always,exit -F path=/etc/passwd/ -F perm=wa',
  '-a always,exit -F dir=/etc/passwd -F perm=wa',
  '-w / -p x',
  '-a always,exit -F path=//etc//passwd -F perm=wa',
  '-w /nothing/at/all -p wa',
  '-w relative -p wa',
  '-w "/etc/passwd" -p wa',
  '-w /etc/a\\ b -p wa',
  '-w /etc/a\\\\b -p wa',
  '-w /etc/passwd -p wz',
  '-w /etc/passwd -p wa # why',
  '-p wa -w /etc/passwd',
  '-k x1 -w /etc/shadow',
  '-w /etc/hosts -k x1 -p wa',
  '-w /etc/hosts -k x1 -F auid>=1000',
  '-w /etc/hosts -p wa -S open',
  '-W /etc/passwd -p wa -k x1',
  '-W /etc/passwd',
  '-d always,exit -F path=/etc/passwd -F perm=wa -F key=x1',
  '-a always,exit -F path=/etc/passwd -F perm=wa -F key=x1',
  '-a always,exit -F path=/etc/passwd -p wa -k x1',
  '-A never,exit -F arch=b64 -S chmod',
  '-a never,exit -F dir=/nothing',
  '-a always,exit -F arch=b64 -S stime -k x1',
  '-a always,exit -F arch=b32 -S stime -k x1',
  '-a always,exit -F arch=b64 -S opened',
  '-a always,exit -k x1 -S chmod',
  '-a always,exit -F arch=b64 -S chmod -F auid=nobody',
  '-a always,exit -F arch=b64 -S chmod -F auid=no-such-user',
  '-a always,exit -F arch=b64 -S chmod -F gid=adm',
  '-a always,exit -F arch=b64 -S chmod -F exit=-EACCESS',
  '-a always,exit -S chmod -F arch=b64',
  '-a always,exit -F arch=b64 -F perm=wa -F path=/etc/passwd',
  '-a always,possible -S chmod',
  '-a possible,exit -S chmod',
  '-a always,entry -S chmod',
  '-a task,never',
  '-a task,never -F auid=5',
  '-a task,always -S chmod',
  '-a never,task -F pid=7',
  '-a user,never -F uid=7',
  '-a always,user -F uid=8',
  '-a always,exclude -F msgtype=CWD',
  '-a exclude,never -F msgtype=1307 -F auid=5',
  '-a never,exclude -F uid=5',
  '-a never,filesystem -F fstype=tracefs',
  '-a never,filesystem -F fstype=0x64626720',
  '-a always,exit -F fstype=tracefs',
  'always,exit -S chmod',
  '- -S chmod',
  'no rule',
  '-S chmod',
  '-F auid=5 -a always,exit',
  '-C uid!=euid',
)
/** Each list takes some of the fields. */
const LIST_LINE = fc
  .tuple(
    fc.constantFrom('task', 'exit', 'user', 'exclude', 'filesystem'),
    fc.constantFrom('auid>=1000', 'uid=7', 'gid!=4', 'obj_uid=0', 'obj_gid=4', 'pid=7', 'ppid=7', 'pers=8', 'inode=7'),
    fc.constantFrom('devmajor=1', 'sessionid=unset', 'saddr_fam=2', 'exit=-13', 'success=0', 'a0=4', 'filetype=file'),
    fc.constantFrom('msgtype=CWD', 'fstype=tracefs', 'exe=/bin/ls'),
    fc.constantFrom('subj_type=x', 'obj_type=x', 'dir=/etc', 'path=/etc/passwd', 'perm=xxxxx', 'exit>0', 'auid=-2'),
    fc.nat({ max: 3 }),
  )
  .map(([list, ...rest]) => {
    const at = rest[4]
    return `-a never,${list} -F ${rest[at]}`
  })
const RULE_LINE = fc.tuple(RULE_PIECES, fc.boolean()).map(([pieces, isRespelled]) => {
  return isRespelled ? respelled(pieces) : spelled(pieces)
})
const TEXTS = hostile(
  fc
    .array(fc.oneof({ weight: 2, arbitrary: OTHER_LINE }, RULE_LINE, LIST_LINE), { minLength: 1, maxLength: 5 })
    .map((lines) => ({ 'a.rules': `${lines.join('\n')}\n` })),
).map((files) => files['a.rules'] ?? '')

const RESET = '-D\n-b 64\n-f 1\n-r 0\n--backlog_wait_time 15000\n'
const SETTINGS = { '-b': 64, '-f': 1, '-r': 0, '--backlog_wait_time': 15_000 }
const STATUS = {
  '-b': 'backlog_limit',
  '-f': 'failure',
  '-r': 'rate_limit',
  '--backlog_wait_time': 'backlog_wait_time',
}

const reason = kernelProblem()

describe.skipIf(reason)(`auditctl${reason === undefined ? '' : `: ${reason}`}`, () => {
  test('loads what is read of a file', { timeout: PATIENCE }, async () => {
    const texts = sample(TEXTS, { usual: 100, soak: 5_000 }, 1)
    const folder = temporaryDirectory()
    writeFileSync(join(folder, 'reset'), RESET, { mode: 0o600 })
    for (const [index, text] of texts.entries()) writeFileSync(join(folder, `${index}`), text, { mode: 0o600 })
    withKernelRules(
      `cd "$1"; trap 'auditctl -R reset' EXIT; i=0
       while [ -f $i ]; do auditctl -R reset; auditctl -R $i; auditctl -l > $i.rules; auditctl -s > $i.status; i=$((i+1)); done > /dev/null 2>&1`,
      [folder],
    )
    const resolver = openResolver(readingOf(filesBelow('')), {
      userId: (name) => known({ nobody: 65_534 }[name] ?? null),
      groupId: (name) => known({ adm: 4 }[name] ?? null),
    })
    const rules = texts.flatMap((text) => linesOf({ path: '', text })).flatMap(({ text }) => parsed(text))
    await resolver.learn(rules)
    const differences = texts.flatMap((text, index) => {
      const layer = loadLines(
        linesOf({ path: 'a.rules', text }),
        (rule) => resolver.resolve(rule),
        syscallsOf(machine()),
      )
      const listing = readFileSync(join(folder, `${index}.rules`), 'utf8')
        .trim()
        .split('\n')
      const theirs = listing.filter((line) => line !== 'No rules').map(listedLine)
      const difference =
        rulesDifference(layer, theirs) ??
        settingsDifference(layer, readFileSync(join(folder, `${index}.status`), 'utf8'))
      return difference === undefined ? [] : [{ text, ...difference }]
    })
    expectAgreement(
      { reader: 'audit rules as auditctl -R loads them', program: 'auditctl', texts: texts.length },
      differences,
    )
  })
})

function parsed(text: string): readonly AuditRule[] {
  const line = parseLine(text)
  return line.kind === 'rule' || line.kind === 'removal' ? [line.kind === 'rule' ? line : line.rule] : []
}

/** In its listing a rule that is about access alone is a `-w`, whether it is about a directory or not. */
function listed(rule: AuditRule): string {
  const { place } = rule
  const line = printLine({
    ...rule,
    first: false,
    ...(place === undefined ? {} : { place: { kind: 'path', path: place.path } }),
  })
  return line.includes('\\ ') ? AMBIGUOUS : line.trimEnd()
}

/** The listing does not escape spaces, so that a line with one in a word has more than one meaning. */
function listedLine(text: string): string {
  const line = parseLine(text)
  return line.kind === 'rule' ? listed(line) : AMBIGUOUS
}

const AMBIGUOUS = 'a rule with a space in a word'

function rulesDifference({ entries }: AuditLayer, theirs: readonly string[]): object | undefined {
  const unclear = entries.findIndex(({ kind }) => kind === 'unclear')
  const known = entries.slice(0, unclear === -1 ? undefined : unclear).filter((entry) => entry.kind === 'rule')
  const ours = known
    .map(({ rule }) => rule)
    .toSorted((left, right) => orderOf(left) - orderOf(right))
    .map(listed)
  const agrees = unclear === -1 ? isSame(ours, theirs) : ours.every((rule) => theirs.includes(rule))
  return agrees ? undefined : { ours, theirs, unclear }
}

function isSame(ours: readonly string[], theirs: readonly string[]): boolean {
  return ours.length === theirs.length && (theirs.includes(AMBIGUOUS) || ours.join('\n') === theirs.join('\n'))
}

/** The kernel lists its lists in the order of their numbers. */
function orderOf({ list }: AuditRule): number {
  return ['user', 'task', 'exit', 'exclude', 'filesystem', 'io_uring'].indexOf(list)
}

function settingsDifference({ settings, entries, unclear }: AuditLayer, status: string): object | undefined {
  if (unclear !== undefined) return undefined
  const wrong = Object.entries(SETTINGS).flatMap(([name, reset]) => {
    const theirs = Number(new RegExp(`^${STATUS[name as keyof typeof STATUS]} (\\d+)`, 'm').exec(status)?.[1])
    const ours = settings.get(name as keyof typeof SETTINGS)?.value ?? reset
    return ours === theirs ? [] : [{ name, ours, theirs }]
  })
  return wrong.length === 0 ? undefined : { wrong, kinds: entries.map(({ kind }) => kind) }
}
