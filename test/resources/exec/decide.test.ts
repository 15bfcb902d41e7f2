import { expect, test } from 'vitest'
import type { Occasion } from '../../../src/core/decision.ts'
import { known, unknown } from '../../../src/core/observation.ts'
import { decideExec, type ExecLook, type ExecWanted } from '../../../src/resources/exec/decide.ts'

const FIRST: Occasion = { subscribed: false, applied: false }
const SUBSCRIBED: Occasion = { subscribed: true, applied: false }
const APPLIED: Occasion = { subscribed: false, applied: true }

const DENIED = unknown('permission-denied', '/c: permission denied')
const LATE = unknown('timeout', 'g was killed: no end after 1 seconds')

const RUN = 'Would have executed'
const RUNS = [{ kind: 'run', object: 'the command' }]
const REFRESHES = [{ kind: 'run', object: 'the command via subscribe' }]
const REFRESH = 'Would have executed via subscribe'

interface Row {
  readonly when: string
  readonly given?: Partial<ExecWanted>
  readonly look?: Partial<ExecLook>
  readonly occasion?: Occasion
  /** Why it has to run, if it has to. */
  readonly because?: string
  readonly unknown?: string
  readonly plan?: string
}

const guarded: Partial<ExecWanted> = { creates: '/c', onlyif: 'g', unless: 'g' }

// The order of CCM: subscribed change, creates, onlyif, unless, refreshonly, run.
const rows: readonly Row[] = [
  { when: 'there is no guard', because: 'no guard says otherwise', plan: RUN },
  { when: 'it is refresh-only', given: { refreshonly: true } },
  { when: 'creates exists', given: guarded, look: { creates: known(true) } },
  {
    when: 'creates is missing',
    given: { creates: '/c' },
    look: { creates: known(false) },
    because: '/c does not exist',
    plan: RUN,
  },
  { when: 'creates is missing and refresh-only', given: { refreshonly: true }, look: { creates: known(false) } },
  { when: 'creates cannot be seen', look: { creates: DENIED }, unknown: 'permission-denied: /c: permission denied' },
  { when: 'onlyif fails', look: { onlyif: known(1) } },
  { when: 'onlyif succeeds', look: { onlyif: known(0) }, because: 'onlyif exited with 0', plan: RUN },
  { when: 'onlyif cannot be known', look: { onlyif: LATE }, unknown: `timeout: onlyif: ${LATE.detail}` },
  { when: 'unless succeeds', look: { unless: known(0) } },
  { when: 'unless fails', look: { unless: known(3) }, because: 'unless exited with 3', plan: RUN },
  { when: 'unless cannot be known', look: { unless: LATE }, unknown: `timeout: unless: ${LATE.detail}` },
  {
    when: 'every guard asks for it',
    given: guarded,
    look: { creates: known(false), onlyif: known(0), unless: known(1) },
    because: '/c does not exist and onlyif exited with 0 and unless exited with 1',
    plan: RUN,
  },
  { when: 'unless spares it although onlyif asks', look: { onlyif: known(0), unless: known(0) } },
  { when: 'it is refresh-only although guards ask', given: { refreshonly: true }, look: { onlyif: known(0) } },
  { when: 'subscribed, refresh-only', given: { refreshonly: true }, occasion: SUBSCRIBED, plan: REFRESH },
  { when: 'subscribed although creates exists', look: { creates: known(true) }, occasion: SUBSCRIBED, plan: REFRESH },
  { when: 'subscribed although onlyif fails', look: { onlyif: known(1) }, occasion: SUBSCRIBED, plan: REFRESH },
  {
    when: 'subscribed and asked for',
    look: { unless: known(1) },
    occasion: SUBSCRIBED,
    because: 'unless exited with 1',
    plan: REFRESH,
  },
  { when: 'it ran and has no guard', occasion: APPLIED },
  {
    when: 'it ran and created nothing',
    given: { creates: '/c' },
    look: { creates: known(false) },
    occasion: APPLIED,
    because: '/c does not exist',
    plan: RUN,
  },
  { when: 'it ran and created what it should', given: guarded, look: { creates: known(true) }, occasion: APPLIED },
  {
    when: 'it ran and satisfied creates but not unless',
    given: guarded,
    look: { creates: known(true), unless: known(2) },
    occasion: APPLIED,
    because: 'unless exited with 2',
    plan: RUN,
  },
  { when: 'it ran and satisfied unless', look: { unless: known(0) }, occasion: APPLIED },
  { when: 'it ran and onlyif still succeeds', look: { onlyif: known(0) }, occasion: APPLIED },
  {
    when: 'it ran and creates cannot be seen',
    look: { creates: DENIED },
    occasion: APPLIED,
    unknown: 'permission-denied: /c: permission denied',
  },
  {
    when: 'it ran and unless cannot be known',
    look: { unless: LATE },
    occasion: APPLIED,
    unknown: `timeout: unless: ${LATE.detail}`,
  },
]

test.each(rows)('$when', ({ given, look, occasion = FIRST, because, unknown: unread, plan }) => {
  const desired: ExecWanted = { name: 'x', ensure: 'present', refreshonly: false, logoutput: false, ...given }
  const decision = decideExec(['x'], desired, { obstacles: [], ...look }, occasion)
  const drift = { property: 'run', desired: 'not needed', observed: `needed because ${because}` }
  expect(decision.drift).toEqual(because === undefined ? [] : [drift])
  expect(decision.unknown.map(({ reason, detail }) => `${reason}: ${detail}`)).toEqual(
    unread === undefined ? [] : [unread],
  )
  expect(decision.plan).toEqual(
    plan === undefined
      ? { kind: 'none' }
      : {
          kind: 'act',
          action: { argv: ['x'] },
          text: plan,
          effects: occasion.subscribed ? REFRESHES : RUNS,
          obstacles: [],
        },
  )
})

test('a guard that lacks its program may be run once that is there', () => {
  const desired: ExecWanted = { name: 'x', ensure: 'absent', refreshonly: false, logoutput: false }
  const onlyif = { ...unknown('command', 'cannot run /opt/tool in /'), missing: '/opt/tool' }
  const obstacle = { reason: 'the directory /x does not exist', missing: '/x' }
  expect(decideExec(['x'], desired, { onlyif, obstacles: [obstacle] }, FIRST)).toEqual({
    ensure: { desired: 'absent', observed: 'absent' },
    drift: [{ property: 'run', desired: 'not needed', observed: 'needed because onlyif cannot run yet' }],
    unknown: [],
    plan: {
      kind: 'act',
      action: { argv: ['x'] },
      text: RUN,
      effects: RUNS,
      obstacles: [
        {
          reason: 'onlyif: cannot run /opt/tool in /',
          missing: '/opt/tool',
          mayComeWithRequirement: true,
          fatal: 'command',
        },
        obstacle,
      ],
    },
  })
})
