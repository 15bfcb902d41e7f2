import { describe, expect, test } from 'vitest'
import { type Decision, FIRST_LOOK } from '../../../src/model/decision.ts'
import { defined } from '../../../src/model/defined.ts'
import { known, type Reading, type Unknown, unknown } from '../../../src/model/observation.ts'
import type {
  ServiceAction,
  ServiceContext,
  ServiceState,
  ServiceDesired,
} from '../../../src/subjects/services/decide.ts'
import { decideServices } from '../../../src/subjects/services/group.ts'
import { groupOf } from '../../../src/subjects/shared/group.ts'
import { asksForStarters } from '../../../src/subjects/services/starters.ts'
import {
  ACTIVE_STATES,
  type ActiveState,
  UNIT_FILE_STATES,
  type UnitEnablement,
  type UnitFileState,
  type UnitRuntime,
  type UnitStarter,
} from '../../../src/subjects/services/services.ts'
import { type Fields, testDecisionCases } from '../decision-cases.ts'

type Ensure = 'running' | 'stopped'

/** A row of the tables: what the policy wants, what the unit is, and whether something it subscribes to changes. */
interface Row {
  readonly ensure?: Ensure
  readonly enable?: boolean
  readonly runtime?: Reading<UnitRuntime>
  readonly enablement?: Reading<UnitEnablement>
  readonly masked?: boolean
  readonly starters?: Reading<readonly UnitStarter[]>
  readonly twins?: Reading<readonly string[]>
  readonly subscribed?: boolean
}

const UNIT = 'demo.service'
const CONTEXT: ServiceContext = { unit: UNIT, unitFiles: ['/etc/systemd/system/demo.service'] }
const NOT_OBSERVABLE = unknown('not-observable', 'systemd does not run here')
const ACTIVE = is('active')
const INACTIVE = is('inactive')
const ENABLED = filed('enabled')
const DISABLED = filed('disabled')

function is(activeState: ActiveState, loadState = 'loaded', result = 'success'): Reading<UnitRuntime> {
  return known({ activeState, loadState, result })
}

function filed(state: UnitFileState, isInstallable = true): Reading<UnitEnablement> {
  return known({ state, isInstallable })
}

function wanting({ ensure = 'running', enable, masked }: Row): ServiceDesired {
  return { ensure, ...defined({ enable, masked }) }
}

function decide(row: Row): Decision<ServiceAction> {
  const { runtime = ACTIVE, enablement = ENABLED, starters, twins, subscribed = false } = row
  const state = { unit: UNIT, runtime, enablement, ...defined({ starters, twins }) }
  return decideServices(wanting(row), { kind: 'present', state, context: CONTEXT }, { ...FIRST_LOOK, subscribed })
}

function textOf({ plan }: Decision<ServiceAction>): string | undefined {
  return plan.kind === 'act' ? plan.text : undefined
}

function reasonsOf({ plan }: Decision<ServiceAction>): readonly string[] {
  return plan.kind === 'none' ? [] : plan.obstacles.map(({ reason }) => reason)
}

describe("CCM's decision table", () => {
  const both = [true, false]
  const rows = both.flatMap((wantsRunning) =>
    both.flatMap((runs) =>
      both.flatMap((subscribed) =>
        [undefined, true, false].flatMap((enable) =>
          both.map((enabled) => ({ wantsRunning, runs, subscribed, enable, enabled })),
        ),
      ),
    ),
  )
  test.each(rows)('running $wantsRunning/$runs, subscribed $subscribed, enabled $enable/$enabled', (row) => {
    const { wantsRunning, runs, subscribed, enable, enabled } = row
    const decision = decide({
      ensure: wantsRunning ? 'running' : 'stopped',
      ...(enable === undefined ? {} : { enable }),
      runtime: runs ? ACTIVE : INACTIVE,
      enablement: enabled ? ENABLED : DISABLED,
      subscribed,
    })
    const word = (running: boolean): string => (running ? 'running' : 'stopped')
    const ensureDrift = { property: 'ensure', desired: word(wantsRunning), observed: word(runs) }
    const enableDrift = { property: 'enable', desired: enable, observed: enabled }
    const enableDrifts = enable !== undefined && enable !== enabled
    expect(decision.drift).toEqual([
      ...(wantsRunning === runs ? [] : [ensureDrift]),
      ...(enableDrifts ? [enableDrift] : []),
    ])
    expect(decision.ensure).toEqual({ desired: word(wantsRunning), observed: word(runs) })
    // The rows of the table, in its order and in its words.
    const [first, enabling] = [
      wantsRunning && runs && subscribed
        ? 'Would have restarted via subscribe'
        : wantsRunning === runs
          ? undefined
          : wantsRunning
            ? 'Would have started'
            : 'Would have stopped',
      enableDrifts ? (enable ? 'ould have enabled' : 'ould have disabled') : undefined,
    ]
    const expected = enabling === undefined ? first : first === undefined ? `W${enabling}` : `${first}, w${enabling}`
    expect(textOf(decision)).toBe(expected)
  })
})

test('the action holds the steps in the order of the text', () => {
  const { plan } = decide({ runtime: INACTIVE, enable: true, enablement: DISABLED })
  expect(plan).toMatchObject({ kind: 'act', action: { unit: UNIT, steps: ['start', 'enable'] } })
})

const RUNS: Readonly<Record<ActiveState, Ensure | undefined>> = {
  active: 'running',
  reloading: 'running',
  refreshing: 'running',
  inactive: 'stopped',
  failed: 'stopped',
  maintenance: 'stopped',
  activating: undefined,
  deactivating: undefined,
}

test.each(ACTIVE_STATES)('a unit that is %s fits only what it is', (state) => {
  for (const ensure of ['running', 'stopped'] as const) {
    const { drift } = decide({ ensure, runtime: is(state) })
    expect(drift.length === 0).toBe(RUNS[state] === ensure)
  }
})

// @see systemctl(1): enabled-runtime is neither, because it ends with the next start; ccm's systemd provider for the others
const COUNTS: Readonly<Record<UnitFileState, boolean | undefined>> = {
  enabled: true,
  'enabled-runtime': undefined,
  alias: true,
  static: true,
  indirect: true,
  generated: true,
  transient: true,
  linked: false,
  'linked-runtime': false,
  masked: false,
  'masked-runtime': false,
  disabled: false,
}

test.each(UNIT_FILE_STATES)('a unit that is %s counts as enabled, as disabled or as neither', (state) => {
  for (const enable of [true, false]) {
    const { drift } = decide({ enable, enablement: filed(state) })
    expect(drift.length === 0).toBe(COUNTS[state] === enable)
  }
})

testDecisionCases('services', {
  wanted: ['ensure', 'enable', 'masked', 'one_of', 'exactly_one_of', 'none_of'],
  observed: ['runtime', 'enablement', 'starters', 'twins', 'members'],
  decide: (wanted, { members, ...observed }, { subscribed }) =>
    members === undefined
      ? decide({ ...wanted, ...observed, subscribed })
      : decideGroup(wanted, members as readonly Member[]),
})

/** One of a group as a case has it: its unit, none, or why it is unknown. */
type Member = Partial<ServiceState> & {
  readonly name: string
  readonly absent?: boolean
  readonly unread?: Unknown
}

function decideGroup(wanted: Fields, members: readonly Member[]): Decision<ServiceAction> {
  const group = groupOf(wanted)
  if (group === undefined) throw new Error('the case has members and no group')
  const seen = members.map(({ name, absent, unread, ...more }) => {
    const unit = `${name}.service`
    const context = { unit, unitFiles: [`/etc/systemd/system/${unit}`] }
    if (unread !== undefined) return { name, seen: unread }
    if (absent === true) return { name, seen: { kind: 'absent', context } as const }
    const state = { unit, runtime: ACTIVE, enablement: ENABLED, ...more }
    return { name, seen: { kind: 'present', state, context } as const }
  })
  const observed = { kind: 'present', state: { group, members: seen }, context: CONTEXT } as const
  return decideServices(wanted, observed, FIRST_LOOK)
}

test('a stopped unit that has failed is stopped', () => {
  expect(decide({ runtime: is('failed') }).ensure).toEqual({ desired: 'running', observed: 'stopped' })
})

test('a mask is named once and with the command that removes it', () => {
  const decision = decide({ runtime: is('inactive', 'masked'), enable: true, enablement: filed('masked', false) })
  expect(reasonsOf(decision)).toEqual(['demo.service is masked; run systemctl unmask demo.service to remove the mask'])
})

test('an unobservable runtime state leaves the drift of the enablement', () => {
  const decision = decide({ runtime: NOT_OBSERVABLE, enable: true, enablement: DISABLED })
  expect(decision.ensure).toEqual({ desired: 'running', observed: 'unknown' })
  expect(decision.drift).toEqual([{ property: 'enable', desired: true, observed: false }])
  expect(decision.unknown).toEqual([{ property: 'ensure', reason: 'not-observable', detail: NOT_OBSERVABLE.detail }])
  expect(textOf(decision)).toBe('Would have enabled')
})

test('an unreadable enablement is unknown where it is managed', () => {
  const enablement = unknown('permission-denied', 'denied')
  const found = [{ property: 'enable', reason: 'permission-denied', detail: 'denied' }]
  expect(decide({ enable: false, enablement })).toMatchObject({ drift: [], unknown: found, plan: { kind: 'none' } })
  expect(decide({ enablement })).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' } })
})

describe('a unit that does not exist', () => {
  const missing = (row: Row): Decision<ServiceAction> =>
    decideServices(wanting(row), { kind: 'absent', context: CONTEXT }, FIRST_LOOK)

  test.each([undefined, false])('is stopped, and not enabled (enable: %s)', (enable) => {
    const decision = missing({ ensure: 'stopped', ...(enable === undefined ? {} : { enable }) })
    expect(decision).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' }, ensure: { observed: 'absent' } })
  })

  test('does not run, which its file or a package could change', () => {
    const decision = missing({ enable: true })
    expect(decision.drift).toEqual([{ property: 'ensure', desired: 'running', observed: 'absent' }])
    expect(decision.plan).toEqual({
      kind: 'act',
      action: { unit: UNIT, steps: ['start', 'enable'] },
      text: 'Would have started, would have enabled',
      effects: [
        { kind: 'start', object: 'the service' },
        { kind: 'enable', object: 'the service' },
      ],
      obstacles: [
        {
          reason: 'the unit demo.service does not exist',
          missing: CONTEXT.unitFiles,
          mayComeWithRequirement: true,
        },
      ],
    })
  })

  test('is only started where enablement is not managed', () => {
    expect(missing({}).plan).toMatchObject({ action: { steps: ['start'] }, text: 'Would have started' })
  })

  test('is not enabled', () => {
    const decision = missing({ ensure: 'stopped', enable: true })
    const note = 'the unit demo.service does not exist'
    expect(decision.drift).toEqual([{ property: 'enable', desired: true, observed: false, note }])
    expect(textOf(decision)).toBe('Would have enabled')
  })
})

test.each([
  ['another of its names', 'ctrl-alt-del.target', ['ctrl-alt-del.target is an alias of reboot.target']],
  ['its own name', 'reboot.target', []],
])('a target is masked by %s only where nothing else goes with it', (_, name, reasons) => {
  const state = { unit: 'reboot.target', runtime: is('inactive'), enablement: filed('static', false) }
  const seen = { kind: 'present', state, context: CONTEXT } as const
  const decision = decideServices({ name, ensure: 'stopped', masked: true }, seen, FIRST_LOOK)
  expect(decision.drift).toMatchObject([{ property: 'masked', observed: false }])
  expect(reasonsOf(decision).map((reason) => reason.split(',')[0])).toEqual(reasons)
})

test.each([
  [{ ensure: 'stopped' }, true],
  [{ ensure: 'running', enable: false }, true],
  [{ ensure: 'running', enable: true }, false],
  [{ ensure: 'stopped', enable: false, masked: true }, false],
] as const)('whether it matters to %j what else starts a service: %s', (wanted, matters) => {
  expect(asksForStarters(wanted)).toBe(matters)
})
