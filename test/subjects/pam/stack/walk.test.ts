import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  actionsOf,
  canonicalControl,
  RETURNS,
  type Return,
  wantedActions,
} from '../../../../src/subjects/pam/stack/control.ts'
import type { PamEntry } from '../../../../src/subjects/pam/stack/stack.ts'
import { findWay, isPass, possibleReturns, runStack } from '../../../../src/subjects/pam/stack/walk.ts'
import { cases } from '../../../support/soak.ts'

const ACTIONS = ['ignore', 'ok', 'done', 'bad', 'die', 'reset', '1', '2', '3']

const control = fc.oneof(
  fc.constantFrom('required', 'requisite', 'sufficient', 'optional'),
  fc
    .array(
      fc.tuple(
        fc.constantFrom('success', 'auth_err', 'ignore', 'new_authtok_reqd', 'default'),
        fc.constantFrom(...ACTIONS),
      ),
      {
        maxLength: 4,
      },
    )
    .map((pairs) => pairs.map(([name, action]) => `${name}=${action}`).join(' ')),
)

const names = ['pam_unix', 'pam_faillock', 'pam_rootok', 'pam_permit', 'pam_deny', 'pam_x']

const entry: fc.Arbitrary<PamEntry> = fc
  .tuple(
    fc.constantFrom(...names),
    control,
    fc.nat({ max: 2 }),
    fc.constantFrom('module', 'module', 'module', 'fails', 'substack'),
  )
  .map(([name, written, level, kind]) => ({
    kind,
    name,
    module: `${name}.so`,
    arguments: [],
    actions: actionsOf(written),
    level,
    file: '/etc/pam.d/s',
    line: 1,
    exists: true,
  }))

/** A substack is one level deeper than the line that begins it, and only that. */
function asNested(entries: readonly PamEntry[]): readonly PamEntry[] {
  let deepest = 0
  return entries.map((each): PamEntry => {
    const level = Math.min(each.level, deepest)
    deepest = each.kind === 'substack' ? level + 1 : level
    return { ...each, level }
  })
}

const stack = fc.array(entry, { minLength: 1, maxLength: 6 }).map(asNested)

/** All that matter, one of each kind. */
const RETURNED: readonly Return[] = ['success', 'auth_err', 'ignore', 'new_authtok_reqd', 'user_unknown']

test('a way is found exactly where trying all that modules can return finds one', () => {
  fc.assert(
    fc.property(stack, (entries) => {
      const way = findWay(entries, {
        returns: (each) => possibleReturns('auth', each),
        seen: (before, step) => (step.entry.name === 'pam_unix' && isPass(step.returned) ? 1 : before),
        isSought: (seen, answer) => answer === 'success' && seen === 0,
      })
      expect(way !== undefined).toBe(assignments(entries).some((each) => isAWay(entries, each)))
    }),
    { numRuns: cases({ usual: 300, soak: 20_000 }) },
  )
})

function isAWay(entries: readonly PamEntry[], given: ReadonlyMap<PamEntry, Return>): boolean {
  let isPassed = false
  const answer = runStack(entries, (each) => {
    const returned = given.get(each) ?? 'success'
    isPassed ||= each.name === 'pam_unix' && isPass(returned)
    return returned
  })
  return answer === 'success' && !isPassed
}

function assignments(entries: readonly PamEntry[]): readonly ReadonlyMap<PamEntry, Return>[] {
  return entries.reduce<readonly ReadonlyMap<PamEntry, Return>[]>(
    (before, each) => before.flatMap((map) => returnsOf(each).map((returned) => new Map([...map, [each, returned]]))),
    [new Map()],
  )
}

function returnsOf({ kind, name }: PamEntry): readonly Return[] {
  if (kind === 'substack') return ['success']
  if (kind === 'fails') return ['perm_denied']
  if (name === 'pam_permit') return ['success']
  return name === 'pam_deny' ? ['auth_err'] : RETURNED
}

test('the one spelling of a control means the same, and is its own', () => {
  fc.assert(
    fc.property(control, (written) => {
      const actions = actionsOf(written)
      const spelling = canonicalControl(actions)
      expect(wantedActions(spelling)).toEqual(actions)
      expect(canonicalControl(wantedActions(spelling) ?? [])).toBe(spelling)
    }),
  )
})

// pam.conf(5): what the keywords stand for.
test.each([
  ['[success=ok new_authtok_reqd=ok ignore=ignore default=bad]', 'required'],
  ['[success=ok new_authtok_reqd=ok ignore=ignore default=die]', 'requisite'],
  ['[success=done new_authtok_reqd=done default=ignore]', 'sufficient'],
  ['[success=ok new_authtok_reqd=ok default=ignore]', 'optional'],
  ['[default=ignore success=1]', '[success=1 default=ignore]'],
])('%s is %s', (written, expected) => {
  expect(canonicalControl(wantedActions(written) ?? [])).toBe(expected)
})

test('only known return values of a module are tried', () => {
  const of = (name: string, given: readonly string[] = []): readonly Return[] =>
    possibleReturns('account', { ...plain(name), arguments: given })
  expect(of('pam_permit')).toEqual(['success'])
  expect(of('pam_deny')).toEqual(['auth_err'])
  expect(of('pam_warn')).toEqual(['ignore'])
  expect(of('pam_faillock', ['authfail'])).not.toContain('success')
  expect(of('pam_faillock', ['preauth'])).toContain('success')
  expect(possibleReturns('auth', { ...plain('pam_unix'), exists: false })).toEqual(['module_unknown'])
})

function plain(name: string): PamEntry {
  const actions = RETURNS.map(() => 'ok' as const)
  return { kind: 'module', name, module: name, arguments: [], actions, level: 0, file: '/f', line: 1, exists: true }
}
