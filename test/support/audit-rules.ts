import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { type LayerEntry, loadLines } from '../../src/subjects/auditd/rules/layers.ts'
import { parseLine } from '../../src/subjects/auditd/rules/parse.ts'
import type { AuditRule } from '../../src/subjects/auditd/rules/rule.ts'
import { syscallsOf } from '../../src/subjects/auditd/rules/syscalls.ts'
import { judgeRule, type Verdict } from '../../src/subjects/auditd/rules/coverage.ts'

/** Rules that are written in one of many ways, with what they mean in another one. */
const CALLS = fc.uniqueArray(fc.constantFrom('chmod', 'fchmod', 'openat', 'unlink', 'execve', 'mount', 'adjtimex'), {
  minLength: 1,
  maxLength: 4,
})
const FIELDS = fc.uniqueArray(
  fc.constantFrom(
    'auid>=1000',
    'auid!=unset',
    'auid!=-1',
    'uid=0',
    'euid!=5',
    'gid<100',
    'exit=-EACCES',
    'exit=-13',
    'success=0',
    'a0=0x4',
    'a1&0100',
    'a2&=0x40',
    'pid=7',
    'filetype=file',
    'sessionid!=unset',
    'exe=/bin/ls',
    'subj_type=chronyd_t',
  ),
  { maxLength: 3, selector: (field) => field.replace(/[^a-z0-9].*/, '') },
)
const COMPARISONS = fc.uniqueArray(fc.constantFrom('uid!=euid', 'gid!=egid', 'auid=obj_uid'), { maxLength: 2 })
const KEYS = fc.uniqueArray(fc.constantFrom('time-change', 'perm_mod', 'x1'), { maxLength: 2 })
const PERMISSIONS = fc.subarray(['r', 'w', 'x', 'a'], { minLength: 1 })

/** A rule in pieces: what can be permuted is a list. */
export interface RulePieces {
  readonly arch: string | undefined
  readonly calls: readonly string[]
  readonly place: string | undefined
  readonly permissions: readonly string[]
  readonly conditions: readonly string[]
  readonly keys: readonly string[]
}

/** Rules that record system calls or access, such as auditctl takes them. */
export const RULE_PIECES: fc.Arbitrary<RulePieces> = fc.record({
  arch: fc.constantFrom('b64', 'b32'),
  calls: fc.oneof(CALLS, fc.constant(['all'])),
  place: fc.constantFrom(undefined, undefined, 'path=/etc/passwd', 'path=/etc/nothing', 'dir=/mnt', 'dir=/etc/skel/'),
  permissions: PERMISSIONS,
  conditions: fc
    .tuple(FIELDS, COMPARISONS)
    .map(([fields, both]) => [...fields.map((field) => `-F ${field}`), ...both.map((each) => `-C ${each}`)]),
  keys: KEYS,
})

/** One of the ways to write a rule. */
export function spelled({ arch, calls, place, permissions, conditions, keys }: RulePieces): string {
  return [
    '-a always,exit',
    ...(arch === undefined ? [] : [`-F arch=${arch}`]),
    ...calls.map((call) => `-S ${call}`),
    ...(place === undefined ? [] : [`-F ${place}`, `-F perm=${permissions.join('')}`]),
    ...conditions,
    ...keys.map((key) => `-k ${key}`),
  ].join(' ')
}

/** The same rule with everything in another order and in the other spelling. */
export function respelled(pieces: RulePieces): string {
  const { arch, calls, place, permissions, conditions, keys } = pieces
  return [
    '  -a exit,always ',
    ...conditions
      .toReversed()
      .map((each) =>
        each.replace('auid!=unset', 'auid!=4294967295').replace('uid!=euid', 'euid!=uid').replace(' ', '  '),
      ),
    ...(place === undefined ? [] : [`-F perm=${permissions.toReversed().join('')}`, `-F ${place}`]),
    ...(arch === undefined ? [] : [`-F arch=${arch === 'b64' ? 'x86_64' : 'i386'}`]),
    `-S ${calls.toReversed().join(',')}`,
    ...keys.map((key) => `-F key=${key}`),
  ].join(' ')
}

/** A rule by its meaning; throws if invalid. */
export function ruleOf(text: string): AuditRule {
  const line = parseLine(text)
  if (line.kind !== 'rule') throw new Error(`${text}: ${line.kind}`)
  return line
}

/** What becomes of a rule on an x86_64 machine that has loaded these, where `-w` is about files: one word for each part. */
export function judged(
  wanted: string,
  loaded: readonly string[],
  options: { comparesKey?: boolean } = {},
): readonly string[] {
  const settle = (rule: AuditRule): AuditRule =>
    rule.place?.kind === 'watch' ? { ...rule, place: { kind: 'path', path: rule.place.path } } : rule
  const { entries } = loadLines(
    loaded.map((text, index) => ({ text, at: { file: 'a.rules', line: index + 1 } })),
    (rule) => ({ kind: 'rule', rule: settle(rule) }),
  )
  const question = { wanted: settle(ruleOf(wanted)), entries, syscalls: syscallsOf('x86_64') }
  const parts = judgeRule({ ...question, comparesKey: options.comparesKey ?? false })
  return [...new Set(parts.map(({ verdict }) => wordOf(verdict)))].toSorted()
}

function wordOf(verdict: Verdict): string {
  const by: LayerEntry | undefined = 'by' in verdict ? verdict.by : undefined
  return by === undefined ? verdict.kind : `${verdict.kind} by ${by.at?.line}`
}

/** Held while a test changes the rules of the kernel, because tests of other files run at the same time. */
const LOCK = join(tmpdir(), 'driftgate-test-audit.lock')

/** Runs a shell script that may load rules into the kernel, which is without rules before and afterwards; returns what it prints. */
export function withKernelRules(script: string, args: readonly string[] = []): string {
  const whole = `trap 'auditctl -D > /dev/null 2>&1' EXIT\n${script}`
  return execFileSync('flock', [LOCK, 'sh', '-c', whole, 'sh', ...args], { encoding: 'utf8', stdio: 'pipe' })
}

/** Why the rules of this kernel cannot be changed by a test; undefined if a change affects no other process. */
export function kernelProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root'
  try {
    const ask = (option: string): string =>
      execFileSync('flock', [LOCK, 'auditctl', option], { encoding: 'utf8', stdio: 'pipe' })
    const status = ask('-s')
    if (!status.includes('enabled 0')) return 'auditing is on, or cannot be asked'
    return ask('-l').trim() === 'No rules' ? undefined : 'there are audit rules already'
  } catch (error) {
    return `needs auditctl: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`
  }
}
