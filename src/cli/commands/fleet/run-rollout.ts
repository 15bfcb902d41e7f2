import { DAY_MS } from '../../../model/duration.ts'
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
import { DEFAULT_STOP, MEASURES, parseLimits } from '../../../fleet/rollout/conditions.ts'
import { rolloutController } from '../../../fleet/rollout/controller.ts'
import { rolloutForPrograms } from '../../../fleet/rollout/for-programs.ts'
import { parseRings } from '../../../fleet/rollout/rings.ts'
import { WISHES } from '../../../fleet/rollout/state.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { RolloutFlags, RolloutInvocation } from './rollout.ts'
import { whoAmI } from './who-am-i.ts'
import { spanWords } from '../../../model/span-words.ts'
import type { ObservedRing, ObservedRollout } from '../../../fleet/rollout/seen.ts'
import { joinSections } from '../../../report/words/rows.ts'
import { nextWords } from '../../../fleet/rollout/words.ts'
import type { Paint } from '../../output/color.ts'
import { type Cell, tableRows } from '../../output/table.ts'

/** Number of hosts named per line. */
const SHOWN = 10

const FLEET = 'fleet'
const SOAK = '2h'
const COMMAND = 'fleet rollout'

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

/** Formats the progress of a rollout. */
function showRollout({ rollout, rings, verdict, later }: ObservedRollout, nowMs: number, paint: Paint): string {
  const { phase, reason, author, last, policies, soak, stop } = rollout
  const tone = phase === 'stopped' ? 'bad' : phase === 'done' ? 'good' : 'warn'
  return joinSections([
    [
      `${paint(tone, phase)} ${escapeForTerminal(`${reason}, by ${author}`)}`,
      escapeForTerminal(`last: ${last.what}, by ${last.by}, ${spanWords(nowMs - Date.parse(last.at))} ago`),
      ...(verdict === undefined ? [] : [`next: ${escapeForTerminal(nextWords(verdict))}`]),
      ...policies.map(({ name, sha256 }) => escapeForTerminal(`policy ${name} ${sha256}`)),
      escapeForTerminal(`soak ${soak}, stops at ${stop}`),
    ],
    ringRows(rings, nowMs, paint),
    rings.flatMap(troubleLines),
    later.map((to) => `${to} has a later assignment, which stays in force`),
  ])
}

function ringRows(rings: readonly ObservedRing[], nowMs: number, paint: Paint): readonly string[] {
  const header = ['ring', 'hosts', 'since', 'reported', ...MEASURES].map((text): Cell => ({ text, tone: 'dim' }))
  const rows = rings.map(({ name, hosts, releasedAtMs, count }): readonly Cell[] => [
    { text: escapeForTerminal(name), tone: 'strong' },
    { text: String(hosts.length) },
    { text: releasedAtMs === undefined ? '-' : spanWords(nowMs - releasedAtMs) },
    { text: count === undefined ? '-' : `${count.reported.length} of ${count.expected.length}` },
    ...MEASURES.map((measure): Cell => ({ text: count === undefined ? '-' : String(count[measure].length) })),
  ])
  return tableRows([header, ...rows], { firstNumber: Infinity, paint }).map((line) => line.trimEnd())
}

function troubleLines({ name, count }: ObservedRing): readonly string[] {
  if (count === undefined) return []
  const lists = [...MEASURES.map((measure) => [measure, count[measure]] as const), ['awaited', count.awaited] as const]
  return lists.flatMap(([word, hosts]) => {
    if (hosts.length === 0) return []
    const more = hosts.length > SHOWN ? ` and ${countOf(hosts.length - SHOWN, 'other')}` : ''
    return [escapeForTerminal(`${name}: ${word}: ${hosts.slice(0, SHOWN).join(', ')}${more}`)]
  })
}
