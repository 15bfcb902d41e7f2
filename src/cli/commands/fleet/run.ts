import { parseDuration } from '../../../core/duration.ts'
import { defined } from '../../../core/defined.ts'
import { escapeForTerminal } from '../../../core/escape.ts'
import { EXIT, type Exit } from '../../../core/gate.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { toSafeJson } from '../../../core/safe-json.ts'
import { globMatcher } from '../../../core/selection.ts'
import { type FleetHost, takeCensus } from '../../../fleet/census.ts'
import { controlsOf } from '../../../fleet/controls.ts'
import { directorySource } from '../../../fleet/directory-source.ts'
import { gateOf } from '../../../fleet/gate.ts'
import { loadRoster } from '../../../fleet/load-roster.ts'
import { createRollup } from '../../../fleet/rollup.ts'
import type { Roster } from '../../../fleet/roster.ts'
import { isOpen } from '../../../report/words/requirements.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import { controlForPrograms, exportLines, fleetForPrograms, hostForPrograms } from './for-programs.ts'
import { ACTIONS, type FleetAction, type FleetFlags, type FleetInvocation } from './options.ts'
import { showControls, showGate, showHosts, showSilent, showStatus, type View } from './show.ts'

const DEFAULT_INTERVAL = '1d'

const WHOLE_HOSTS = 'fleet gate judges whole hosts: --host and --label choose them, --control does not'

/** Shows the fleet and returns the exit code. Throws `OperatorError`s. */
export async function runFleet({ operands: [word], options }: FleetInvocation, io: Io): Promise<number> {
  const action = ACTIONS.find((known) => known === word) ?? 'status'
  if (options.from === undefined)
    throw usageError('fleet needs --from DIR: the directory with the reports of all hosts', 'fleet')
  if (action === 'gate' && options.control.length > 0) throw usageError(WHOLE_HOSTS, 'fleet')
  const roster = options.roster === undefined ? undefined : readRosterFile(options.roster)
  const nowMs = Date.now()
  const rollup = createRollup()
  const source = directorySource(options.from, new Set(roster?.hosts.keys()))
  const unusable = await source.news(rollup.add)
  for (const { place, reason } of unusable) {
    io.say(`driftgate: passing over ${escapeForTerminal(`${place}: ${reason}`)}\n`)
  }
  const intervalMs = parseDuration(options.interval ?? DEFAULT_INTERVAL) ?? 0
  const all = takeCensus({ rollup, ...defined({ roster }), intervalMs, nowMs })
  const hosts = selectHosts(all, options)
  if (hosts.length === 0 && all.length > 0) throw new OperatorError(nobody(options))
  const view: View = {
    name: source.name,
    hosts,
    hasRoster: roster !== undefined,
    unusable: unusable.length,
    nowMs,
    verbose: options.verbose,
  }
  const exit = gateOf(hosts, { failOn: options['fail-on'], unusable: unusable.length })
  await io.print(await render(action, { view, exit, options, io }))
  return action === 'gate' ? exit.code : EXIT.ok
}

function nobody({ control }: FleetFlags): string {
  return `no host has these names and labels${control.length === 0 ? '' : ', and one of these controls open'}`
}

function readRosterFile(file: string): Roster {
  const read = loadRoster(file)
  if (!read.ok) throw new OperatorError(`the roster ${file} cannot be used`, { problems: read.problems })
  return read.value
}

/** The hosts that are wanted, each with the findings that are. */
function selectHosts(hosts: readonly FleetHost[], { host: names, label, control }: FleetFlags): readonly FleetHost[] {
  const isNamed = anyOf(names)
  const wanted = label.map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw usageError(`--label must be KEY=VALUE, found ${JSON.stringify(text)}`, 'fleet')
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  return hosts.filter(
    ({ name, labels, trouble, findings }) =>
      isNamed(name) &&
      wanted.every(([key, value]) => labels[key] === value) &&
      // Of a host of which nobody knows how it stands, nobody knows how the control stands.
      (control.length === 0 ||
        trouble !== undefined ||
        findings.some((finding) => isOpen(finding) && anyOf(control)(finding.name))),
  )
}

function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map(globMatcher)
  return (text) => matchers.length === 0 || matchers.some((matches) => matches(text))
}

interface Rendering {
  readonly view: View
  readonly exit: Exit
  readonly options: FleetFlags
  readonly io: Io
}

async function render(action: FleetAction, { view, exit, options, io }: Rendering): Promise<string> {
  const controls = controlsOf(view.hosts).filter(({ name }) => anyOf(options.control)(name))
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

const PARTS: Readonly<Record<Exclude<FleetAction, 'export'>, Part>> = {
  status: () => ({}),
  gate: () => ({}),
  hosts: ({ hosts }) => ({ hosts: hosts.map(hostForPrograms) }),
  silent: ({ hosts }) => ({ hosts: hosts.filter(({ trouble }) => trouble !== undefined).map(hostForPrograms) }),
  controls: (_view, controls) => ({ controls: controls.map(controlForPrograms) }),
}
