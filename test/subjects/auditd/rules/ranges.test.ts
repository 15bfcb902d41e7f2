import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AuditField, parseField } from '../../../../src/subjects/auditd/rules/fields.ts'
import { areDisjoint, areImpossible, implies } from '../../../../src/subjects/auditd/rules/ranges.ts'
import { cases } from '../../../support/soak.ts'

function field(text: string): AuditField {
  const parsed = parseField(text, false)
  if (parsed === undefined) throw new Error(text)
  return parsed
}

const VALUES = ['0', '1', '5', '1000', '1001', '4294967294', 'unset']
const OPERATORS = ['=', '!=', '<', '<=', '>', '>=']
const IDS = fc
  .tuple(fc.constantFrom(...OPERATORS), fc.constantFrom(...VALUES))
  .map(([operator, value]) => `auid${operator}${value}`)
const RESULTS = fc.oneof(
  fc.constantFrom('success=0', 'success=1'),
  fc
    .tuple(fc.constantFrom(...OPERATORS), fc.constantFrom('0', '5', '-13', '-EPERM', '-4095', '-4096'))
    .map(([operator, value]) => `exit${operator}${value}`),
)

/** Every value around those that the conditions name: whether something holds changes nowhere else. */
const AROUND = [0, 1, 5, 1000, 1001, 0xff_ff_ff_fe, 0xff_ff_ff_ff, 0xff_ff_ff_f3, 0xff_ff_f0_01, 0xff_ff_f0_00]
  .flatMap((value) => [value - 1, value, value + 1])
  .filter((value) => value >= 0 && value <= 0xff_ff_ff_ff)

/** What the kernel compares: numbers without a sign, and whether a result is an error. @see audit_comparator in auditfilter.c */
function holds({ name, operator, value }: AuditField, event: number): boolean {
  const left = name === 'success' ? Number(event < 0xff_ff_f0_01) : event
  const right = Number(value)
  const answers: Readonly<Record<string, boolean>> = {
    '=': left === right,
    '!=': left !== right,
    '<': left < right,
    '<=': left <= right,
    '>': left > right,
    '>=': left >= right,
  }
  return answers[operator] === true
}

describe.each([
  ['ids', IDS],
  ['results of system calls', RESULTS],
])('%s', (_, condition) => {
  const conditions = fc.array(condition.map(field), { maxLength: 4 })
  const events = (all: readonly AuditField[]): readonly number[] =>
    AROUND.filter((event) => all.every((each) => holds(each, event)))
  const limits = { numRuns: cases({ usual: 2_000, soak: 100_000 }) }

  test('imply the conditions of all their events', () => {
    fc.assert(
      fc.property(conditions, condition.map(field), (all, wanted) => {
        const meeting = events(all)
        if (meeting.length > 0) expect(implies(all, wanted)).toBe(meeting.every((event) => holds(wanted, event)))
      }),
      limits,
    )
  })

  test('are disjoint where no event meets both', () => {
    fc.assert(
      fc.property(conditions, conditions, (left, right) => {
        // Impossible conditions are refused before.
        if (areImpossible(left) || areImpossible(right)) return
        expect(areDisjoint(left, right)).toBe(events([...left, ...right]).length === 0)
      }),
      limits,
    )
  })

  test('are impossible where no event meets them', () => {
    fc.assert(
      fc.property(conditions, (all) => {
        expect(areImpossible(all)).toBe(events(all).length === 0)
      }),
      limits,
    )
  })
})

describe('texts and fields of the event', () => {
  const compare = (text: string): AuditField => parseField(text, true) ?? field(text)

  test.each([
    [['exe=/bin/ls'], 'exe=/bin/ls', true],
    [['exe=/bin/ls'], 'exe!=/bin/cat', true],
    [['exe=/bin/ls'], 'exe!=/bin/ls', false],
    [['exe!=/bin/ls'], 'exe!=/bin/ls', true],
    [[], 'exe!=/bin/ls', false],
  ])('%j imply %s: %s', (all, wanted, expected) => {
    expect(implies(all.map(field), field(wanted))).toBe(expected)
  })

  test.each([
    ['exe=/bin/ls', 'exe=/bin/cat', true],
    ['exe=/bin/ls', 'exe!=/bin/ls', true],
    ['exe!=/bin/ls', 'exe=/bin/ls', true],
    ['exe=/bin/ls', 'exe!=/bin/cat', false],
    ['exe!=/bin/ls', 'exe!=/bin/cat', false],
    ['exe=/bin/ls', 'subj_type=x', false],
    ['uid!=euid', 'uid=euid', true],
    ['uid!=euid', 'uid!=euid', false],
    ['uid=euid', 'gid!=egid', false],
    ['a1&0100', 'a1&0200', false],
    ['a1&0100', 'a1=0', false],
  ])('%s and %s are disjoint: %s', (left, right, expected) => {
    const [first, second] = [[compare(left)], [compare(right)]]
    expect([areDisjoint(first, second), areDisjoint(second, first)]).toEqual([expected, expected])
  })
})
