import { describe, expect, test } from 'vitest'
import { readRollout } from '../../../src/fleet/rollout/read-rollout.ts'
import {
  directionOf,
  newRollout,
  type Phase,
  PHASES,
  type Rollout,
  type Wish,
  WISHES,
  withEnd,
  withReleased,
  withWish,
} from '../../../src/fleet/rollout/state.ts'

const AT = '2026-11-23T08:00:00.000Z'
const LATER = '2026-11-23T09:00:00.000Z'
const ACT = { at: LATER, by: 'anna', what: 'a test' }
const DIGEST = 'a'.repeat(64)

function begun(phase: Phase = 'running', hasBack = true): Rollout {
  const targets = [{ to: 'ring.canary', before: [DIGEST], hasBack }] as const
  const rings = [
    { name: 'canary', targets },
    { name: 'rest', targets: [{ to: 'ring.all', before: [], hasBack: false }] as const },
  ]
  const policies = [{ name: 'site', sha256: DIGEST, text: DIGEST }]
  const rules = { soak: '2h', stop: 'error>1%', reason: 'a test', author: 'anna' }
  const id = '00000000-0000-4000-8000-000000000000'
  const rollout = newRollout({ id, policies, ...rules, version: 3, rings }, AT)
  const released = withReleased(rollout, 'canary', { ...ACT, at: AT })
  if ('message' in released) throw new Error(released.message)
  return { ...released.rollout, phase }
}

function phaseAfter(phase: Phase, wish: Wish): Phase | 'refused' {
  const changed = withWish(begun(phase), wish, ACT)
  return 'message' in changed ? 'refused' : changed.rollout.phase
}

test('each phase permits and refuses the commands of operators as in this table', () => {
  const table = Object.fromEntries(PHASES.map((phase) => [phase, WISHES.map((wish) => phaseAfter(phase, wish))]))
  expect(table).toEqual({
    //          pause     resume     back       finish
    running: ['paused', 'refused', 'back', 'done'],
    paused: ['refused', 'running', 'back', 'done'],
    stopped: ['refused', 'running', 'back', 'done'],
    back: ['refused', 'refused', 'refused', 'refused'],
    done: ['refused', 'refused', 'back', 'refused'],
  })
})

test('a controller does nothing while it is not under way', () => {
  for (const phase of PHASES.filter((each) => each !== 'running')) {
    expect(withReleased(begun(phase), 'rest', ACT)).toHaveProperty('message')
    expect(withEnd(begun(phase), 'stopped', ACT)).toHaveProperty('message')
  }
})

test('a ring that was released stays so since then', () => {
  const again = withReleased(begun(), 'canary', ACT)
  expect('rollout' in again && again.rollout.rings[0]?.releasedAt).toBe(AT)
  const all = withWish(begun(), 'finish', ACT)
  expect('rollout' in all && all.rollout.rings.map(({ releasedAt }) => releasedAt)).toEqual([AT, LATER])
})

test('there is no way back to nothing', () => {
  expect(withWish(begun('running', false), 'back', ACT)).toEqual({
    message: expect.stringContaining('ring.canary had no policies before'),
  })
})

test('only rings that were released are given something', () => {
  const directions = (rollout: Rollout) => rollout.rings.map((ring) => directionOf(rollout, ring))
  expect(directions(begun())).toEqual(['go', undefined])
  expect(directions(begun('stopped'))).toEqual(['go', undefined])
  expect(directions(begun('back'))).toEqual(['back', undefined])
})

describe('a stored rollout', () => {
  const read = (value: unknown): unknown => readRollout(Buffer.from(JSON.stringify(value)))

  test('is read as it was written', () => {
    for (const phase of PHASES) expect(read(begun(phase))).toEqual(begun(phase))
  })

  test('is rejected if a field is missing or of another type', () => {
    const rollout = begun()
    for (const name of Object.keys(rollout)) {
      expect([name, read({ ...rollout, [name]: undefined })]).toEqual([name, undefined])
      expect([name, read({ ...rollout, [name]: { other: 1 } })]).toEqual([name, undefined])
    }
  })

  const [canary, rest] = begun().rings
  test.each([
    ['nothing would stop it', { stop: '' }],
    ['its conditions are not understood', { stop: 'errors>1%' }],
    ['its soak is invalid', { soak: 'soon' }],
    ['it has no ring', { rings: [] }],
    ['it has no policy', { policies: [] }],
    [
      'a ring leads elsewhere',
      { rings: [{ ...canary, targets: [{ to: 'ring.*', before: [], hasBack: true }] }, rest] },
    ],
    ['its id would be another key', { id: '../../../../../../../../../../../../' }],
    ['its version is no whole number', { version: 1.5 }],
    ['it is of another version of the format', { schema: 'driftgate.rollout/v2' }],
  ])('is rejected if %s', (_what, changed) => {
    expect(read({ ...begun(), ...changed })).toBeUndefined()
  })

  test('is rejected if it is not JSON', () => {
    expect(readRollout(Buffer.from('{'))).toBeUndefined()
  })
})
