import { countOf } from '../../../model/count-of.ts'
import { defined } from '../../../model/defined.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import type { Result } from '../../../model/problem.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { fleetForPrograms } from '../../../fleet/for-programs.ts'
import { gateOf } from '../../../fleet/gate.ts'
import { openFleet } from '../../../fleet/fleet.ts'
import { loginOfContext } from '../../../fleet/nats/connect.ts'
import { fleetHome } from '../../../fleet/nats/home.ts'
import { asOperator } from '../../../fleet/nats/operator.ts'
import { DEFAULT_STOP, parseLimits } from '../../../fleet/rollout/conditions.ts'
import { rolloutController } from '../../../fleet/rollout/controller.ts'
import { rolloutForPrograms } from '../../../fleet/rollout/for-programs.ts'
import { parseRings } from '../../../fleet/rollout/rings.ts'
import { WISHES } from '../../../fleet/rollout/state.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { RolloutFlags, RolloutInvocation } from './rollout-options.ts'
import { showRollout } from './show-rollout.ts'
import { whoAmI } from './who-am-i.ts'

const FLEET = 'fleet'
const SOAK = '2h'
const COMMAND = 'fleet rollout'
const DAY_MS = 86_400_000

/** Starts, shows or changes the rollout of a fleet. Throws an `OperatorError`. */
export async function runRollout({ operands: [action], options }: RolloutInvocation, io: Io): Promise<number> {
  const wish = WISHES.find((known) => known === action)
  if (action === 'start') return await start(options, io)
  if (wish === undefined) return await status(options, io)
  const { fleet = FLEET, reason = '', author: by = whoAmI() } = options
  const said = await asOperator(fleet, ({ decide }) => decide(wish, { by, reason }))
  io.say(`driftgate: ${escapeForTerminal(said)}\n`)
  return EXIT.ok
}

async function start(options: RolloutFlags, io: Io): Promise<number> {
  const { policy: bundles, rings, soak = SOAK, stop = DEFAULT_STOP, reason } = options
  if (bundles.length === 0) throw usageError('missing --policy SHA256', COMMAND)
  if (rings === undefined) throw usageError('missing --rings, such as canary:1%,rest', COMMAND)
  if (reason === undefined) throw usageError('missing --reason TEXT: hosts and the activity log show it', COMMAND)
  unwrapResult('--stop', parseLimits('--stop', stop))
  const wanted = { bundles, rings: unwrapResult('--rings', parseRings('--rings', rings)), soak, stop, reason }
  const { fleet = FLEET, author = whoAmI() } = options
  const begun = await asOperator(fleet, ({ rollOut }) => rollOut({ ...wanted, author }))
  for (const { name, hosts } of begun.rings) await io.print(`${name} ${countOf(hosts, 'host')}\n`)
  io.say('driftgate: signed for every ring; "driftgate fleet serve --release" releases it\n')
  return EXIT.ok
}

function unwrapResult<Value>(what: string, read: Result<Value>): Value {
  if (read.ok) return read.value
  throw new OperatorError(`${what} cannot be used`, { problems: read.problems })
}

async function status(options: RolloutFlags, io: Io): Promise<number> {
  const home = fleetHome(options.fleet ?? FLEET)
  const from = loginOfContext(home.context)
  const fleet = openFleet({ from, rosterFile: home.roster, intervalMs: DAY_MS })
  const controller = rolloutController(from, 'looks')
  const nowMs = Date.now()
  try {
    await fleet.look('everywhere')
    await controller.look(fleet.view(nowMs).hosts, nowMs)
  } finally {
    await fleet.close()
    await controller.close()
  }
  const seen = controller.seen()
  if (options.format === 'json') {
    const view = fleet.view(nowMs)
    const exit = gateOf(view.hosts, { failOn: 'info', unusable: view.unusable.length })
    const rollout = seen && rolloutForPrograms(seen)
    await io.print(`${toSafeJson({ ...fleetForPrograms(view, exit), ...defined({ rollout }) }, 2)}\n`)
  } else if (seen === undefined) await io.print('No rollout yet: "driftgate fleet rollout start" starts one\n')
  else await io.print(showRollout(seen, nowMs, await io.paintOutput()))
  return EXIT.ok
}
