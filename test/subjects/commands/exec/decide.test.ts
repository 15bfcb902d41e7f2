import { expect, test } from 'vitest'
import type { Occasion } from '../../../../src/model/decision.ts'
import { unknown } from '../../../../src/model/observation.ts'
import { decideExec, type ExecDesired } from '../../../../src/subjects/commands/exec/decide.ts'
import { testDecisionCases } from '../../decision-cases.ts'

const FIRST: Occasion = { subscribed: false, applied: false }

const RUN = 'Would have executed'
const RUNS = [{ kind: 'run', object: 'the command' }]

testDecisionCases('commands/exec', {
  wanted: ['creates', 'onlyif', 'unless', 'refreshonly'],
  observed: ['creates', 'onlyif', 'unless', 'obstacles'],
  decide: (wanted, observed, occasion) => {
    const desired: ExecDesired = { name: 'x', ensure: 'present', refreshonly: false, logoutput: false, ...wanted }
    return decideExec(['x'], desired, { obstacles: [], ...observed }, occasion)
  },
})

test('a guard that lacks its program may be run once that is there', () => {
  const desired: ExecDesired = { name: 'x', ensure: 'absent', refreshonly: false, logoutput: false }
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
