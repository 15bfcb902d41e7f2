import { defined } from '../../../model/defined.ts'
import { parseDuration } from '../../../model/duration.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT, type Exit } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { controlsOf } from '../../../fleet/controls.ts'
import { type FleetSettings, type FleetView, openFleet } from '../../../fleet/fleet.ts'
import type { UnusablePlace } from '../../../fleet/source.ts'
import { controlForPrograms, exportLines, fleetForPrograms, hostForPrograms } from '../../../fleet/for-programs.ts'
import { loginOfContext } from '../../../fleet/nats/connect.ts'
import { gateOf } from '../../../fleet/gate.ts'
import {
  ALL_HOSTS,
  CONTROL_VERDICTS,
  type ControlVerdict,
  type HostSelection,
  selectControls,
  selectHosts,
} from '../../../fleet/select.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import { ACTIONS, type FleetAction, type FleetFlags, type FleetInvocation } from './options.ts'
import { showControls, showGate, showHosts, showSilent, showStatus, type View } from './show.ts'

const VERDICTS = Object.keys(CONTROL_VERDICTS) as readonly ControlVerdict[]

const DEFAULT_INTERVAL = '1d'

const WHOLE_HOSTS = 'fleet gate evaluates whole hosts: select them with --host and --label, not with --control'

/** Shows the fleet and returns the exit code. Throws an `OperatorError`. */
export async function runFleet(invocation: FleetInvocation, io: Io): Promise<number> {
  const { operands, options } = invocation
  const action = ACTIONS.find((known) => known === operands[0]) ?? 'status'
  if (action === 'token') return (await import('./token.ts')).runToken(options, io)
  if (action === 'serve') return (await import('./serve.ts')).runServe(options, settingsOf(options), io)
  if (action === 'gate' && options.control.length > 0) throw usageError(WHOLE_HOSTS, 'fleet')
  const fleet = openFleet(settingsOf(options))
  try {
    await fleet.look('everywhere')
  } finally {
    await fleet.close()
  }
  const all = fleet.view(Date.now())
  const { unusable } = all
  for (const { place, reason } of unusable) {
    io.say(`driftgate: skipping ${escapeForTerminal(`${place}: ${reason}`)}\n`)
  }
  const hosts = selectHosts(all.hosts, selectionOf(options))
  if (hosts.length === 0 && all.hosts.length > 0) throw new OperatorError(noHost(options))
  const view: View = { ...all, hosts, verbose: options.verbose }
  const exit = gateOf(hosts, { failOn: options['fail-on'], unusable: unusableFor(view, options).length })
  await io.print(await render(action, { view, exit, options, io }))
  return action === 'gate' ? exit.code : EXIT.ok
}

/** Unusable files; with a host selection, only those that may belong to a selected host. */
function unusableFor({ hosts, unusable }: FleetView, { host, label }: FleetFlags): readonly UnusablePlace[] {
  if (host.length + label.length === 0) return unusable
  const names = new Set(hosts.map(({ name }) => name))
  return unusable.filter((place) => place.hosts.length === 0 || place.hosts.some((name) => names.has(name)))
}

/** Fleet settings of the options. Throws a usage error if they are incomplete. */
function settingsOf({ from, context, roster: rosterFile, interval = DEFAULT_INTERVAL }: FleetFlags): FleetSettings {
  const others = { ...defined({ rosterFile }), intervalMs: parseDuration(interval) ?? 0 }
  if ((from === undefined) === (context === undefined)) throw usageError(ONE_SOURCE, 'fleet')
  if (from !== undefined) return { from, ...others }
  if (rosterFile === undefined) throw usageError(NEEDS_KEYS, 'fleet')
  return { from: loginOfContext(context ?? ''), ...others }
}

const ONE_SOURCE = 'missing --from DIR (reports of all hosts) or --context FILE (fleet server)'

const NEEDS_KEYS = '--context requires --roster: only messages signed with its keys are trusted'

function noHost({ control }: FleetFlags): string {
  return `no host matches these names and labels${control.length === 0 ? '' : ' with one of these controls open or in this verdict'}`
}

function selectionOf({ host: names, label, ring: rings, control: controls, verdict }: FleetFlags): HostSelection {
  if (verdict.length > 0 && controls.length === 0) throw usageError('--verdict requires --control', 'fleet')
  const labels = label.map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw usageError(`--label must be KEY=VALUE, found ${JSON.stringify(text)}`, 'fleet')
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  const verdicts = VERDICTS.filter((word) => verdict.includes(word))
  return { ...ALL_HOSTS, names, labels, rings, controls, verdicts }
}

/** Actions that print once and exit. */
type Shown = Exclude<FleetAction, 'serve' | 'token'>

interface Rendering {
  readonly view: View
  readonly exit: Exit
  readonly options: FleetFlags
  readonly io: Io
}

async function render(action: Shown, { view, exit, options, io }: Rendering): Promise<string> {
  const controls = selectControls(controlsOf(view.hosts), { controls: options.control })
  if (action === 'export') return exportLines(view)
  if (options.format === 'json') {
    const shown = { ...fleetForPrograms(view, exit), ...PARTS[action](view, controls) }
    return `${toSafeJson(shown, 2)}\n`
  }
  const paint = await io.paintOutput()
  switch (action) {
    case 'status':
      return showStatus(view, { controls, exit, paint })
    case 'hosts':
      return showHosts(view, paint)
    case 'controls':
      return showControls(view, { controls, paint })
    case 'silent':
      return showSilent(view, paint)
    case 'gate':
      return showGate(view, { exit, paint })
  }
}

type Part = (view: View, controls: ReturnType<typeof controlsOf>) => object

const PARTS: Readonly<Record<Exclude<Shown, 'export'>, Part>> = {
  status: () => ({}),
  gate: () => ({}),
  hosts: ({ hosts }) => ({ hosts: hosts.map(hostForPrograms) }),
  silent: ({ hosts }) => ({ hosts: hosts.filter(({ trouble }) => trouble !== undefined).map(hostForPrograms) }),
  controls: (_view, controls) => ({ controls: controls.map(controlForPrograms) }),
}
