import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLine } from '../../../../src/subjects/auditd/rules/parse.ts'
import { type AuditRule, meaningOf, printLine } from '../../../../src/subjects/auditd/rules/rule.ts'
import { syscallsOf } from '../../../../src/subjects/auditd/rules/syscalls.ts'
import {
  kernelProblem,
  respelled,
  RULE_PIECES,
  ruleOf,
  spelled,
  withKernelRules,
} from '../../../support/audit-rules.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'

function normal(text: string): string {
  const line = parseLine(text)
  return line.kind === 'rule' || line.kind === 'setting' ? printLine(line) : line.kind
}

const SPELLINGS: readonly (readonly [string, string])[] = [
  [
    '-a exit,always -F arch=x86_64 -S settimeofday -S adjtimex -k t',
    '-a always,exit -F arch=b64 -S adjtimex,settimeofday -F key=t',
  ],
  ['-a always,exit -F arch=b32 -S stime -F auid!=4294967295', '-a always,exit -F arch=b32 -S stime -F auid!=unset'],
  [
    '-a always,exit -F arch=b64 -S open -F auid!=-1 -F auid>=0x3e8',
    '-a always,exit -F arch=b64 -S open -F auid!=unset -F auid>=1000',
  ],
  ['-a always,exit -F arch=b64 -S open -F exit=-13', '-a always,exit -F arch=b64 -S open -F exit=-EACCES'],
  ['-a always,exit -F arch=b64 -S execve -C euid!=uid', '-a always,exit -F arch=b64 -S execve -C euid!=uid'],
  ['-a always,exit -F arch=b64 -S execve -C uid!=euid', '-a always,exit -F arch=b64 -S execve -C euid!=uid'],
  ['-w /etc/sudoers.d/ -p aw -k actions', '-w /etc/sudoers.d -p wa -k actions'],
  ['-w /etc/passwd', '-w /etc/passwd -p rwxa'],
  ['-a always,exit -F path=/usr/bin/su -F perm=x', '-a always,exit -F path=/usr/bin/su -F perm=x'],
  ['-a always,exclude -F msgtype=1307', '-a never,exclude -F msgtype=CWD'],
  ['-a task,never', '-a never,task'],
  [' -e  2', '-e 2'],
  ['-D', '-D'],
  ['--backlog_wait_time=60000', '--backlog_wait_time 60000'],
  ['# a comment', 'nothing'],
  ['', 'nothing'],
  ['-w /etc/a\\ b -p w', '-w /etc/a\\ b -p w'],
]

test.each(SPELLINGS)('%s is %s', (written, expected) => {
  expect(normal(written)).toBe(expected)
})

const PROBLEMS = [
  '-a possible,exit -S open',
  '-a always,entry -S open',
  '-w relative -p wa',
  '-w /etc/passwd -p wz',
  '-w /etc/passwd -p wa # why',
  '-w /etc/passwd\t-p wa',
  '-w "/etc/passwd" -p wa',
  '-a always,exit -F path=/a -F dir=/b -F perm=wa',
  '-a always,exit -F path!=/a -F perm=wa',
  '-a always,exit -S open -F arch=b64',
  '-a always,exit -F arch=b64 -S open -F uid!=euid',
  '-a always,exit -F arch=b64 -S open -F nothing=1',
  '-a never,filesystem -F fstype=ext4',
  '-k key',
  '-e 3',
  '-b many',
  '-D -k key',
  '-W relative',
  'w /etc/passwd',
  '-w',
  '-F auid=0 -w /etc/passwd',
  '-w /etc/passwd -S open',
  '-a always,exit -F arch=ppc64 -S open',
]

test.each(PROBLEMS)('%s is not known', (written) => {
  expect(parseLine(written).kind).toBe('problem')
})

describe('generated rules', () => {
  test('the normal form is read as the same rule', () => {
    fc.assert(
      fc.property(RULE_PIECES, (pieces) => {
        const rule = ruleOf(spelled(pieces))
        expect(ruleOf(printLine(rule))).toEqual(rule)
      }),
    )
  })

  test('order, grouping and spelling do not count', () => {
    fc.assert(
      fc.property(RULE_PIECES, (pieces) => {
        expect(meaningOf(ruleOf(respelled(pieces)))).toBe(meaningOf(ruleOf(spelled(pieces))))
      }),
    )
  })
})

const reason = kernelProblem()

describe.skipIf(reason)(`the kernel${reason === undefined ? '' : `: ${reason}`}`, () => {
  test('lists every rule as one that means the same', { timeout: PATIENCE }, () => {
    const pieces = sample(RULE_PIECES, { usual: 500, soak: 5_000 }, 1)
    const folder = mkdtempSync(join(tmpdir(), 'driftgate-audit-'))
    const file = join(folder, 'generated.rules')
    try {
      const texts = [...new Map(pieces.map((each) => [listed(ruleOf(spelled(each))), spelled(each)])).values()]
      // -i goes on after a rule that is there already.
      writeFileSync(file, `-i\n${texts.join('\n')}\n`, { mode: 0o600 })
      const listing = withKernelRules('auditctl -R "$1" > /dev/null 2>&1; auditctl -l', [file])
      const lines = listing.trim().split('\n')
      expect(lines.length).toBe(texts.length)
      const wrong = lines.filter((line, at) => listed(ruleOf(line)) !== listed(ruleOf(texts[at] ?? '')))
      expectAgreement({ reader: 'audit rules', program: 'auditctl', texts: texts.length }, wrong)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** In its listing a rule that is about access alone is a `-w`, whether it is about a directory or not. */
function listed(rule: AuditRule): string {
  const { place } = rule
  return printLine(place === undefined ? rule : { ...rule, place: { kind: 'path', path: place.path } })
}

describe('system calls', () => {
  const ausyscall = ['/usr/bin/ausyscall', '/bin/ausyscall'].find((path) => existsSync(path))

  test.skipIf(ausyscall === undefined ? 'needs ausyscall' : undefined).each([
    ['x86_64', 'b64', 'x86_64'],
    ['x86_64', 'b32', 'i386'],
    ['aarch64', 'b64', 'aarch64'],
    ['aarch64', 'b32', 'arm'],
  ] as const)('have on %s as %s the numbers of ausyscall', (machine, arch, table) => {
    const dump = execFileSync(ausyscall ?? '', [table, '--dump'], { encoding: 'utf8' })
    const known = syscallsOf(machine)
    const numbers = [...dump.matchAll(/^(\d+)\t(\w+)$/gm)].map(
      ([, number, name = '']) => [name, Number(number)] as const,
    )
    const last = new Map(numbers.toReversed())
    expect(numbers.length).toBeGreaterThan(300)
    expect([...last].map(([name]) => [name, known.numberOf(arch, name)])).toEqual([...last])
  })

  test('that only other architectures have are foreign', () => {
    const { isForeign } = syscallsOf('aarch64')
    expect([isForeign('b64', 'open'), isForeign('b64', 'openat'), isForeign('b32', 'open')]).toEqual([
      true,
      false,
      false,
    ])
    expect([isForeign('b64', 'brandnew'), isForeign('b64', '2')]).toEqual([false, false])
  })

  test('of another machine are not known', () => {
    const { numberOf, isForeign } = syscallsOf('riscv64')
    expect([numberOf('b64', 'open'), numberOf('b64', '3'), isForeign('b64', 'open')]).toEqual([undefined, 3, false])
  })
})
