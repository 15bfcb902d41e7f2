import { known, type Reading } from '../../../model/observation.ts'
import type { CompanionUnit, ServiceStep } from '../services.ts'
import { namedWith } from './install-links.ts'
import type { SystemdPlace } from '../../../host/systemd/place.ts'
import { runProgram, unansweredQuery } from '../../../host/systemd/systemctl.ts'

// The jobs of one systemd transaction. @see systemd.unit(5), "MAPPING OF UNIT PROPERTIES TO THEIR INVERSES"

/** Units that stop with a unit, and restart with it if they run. */
const STOP_WITH = ['RequiredBy', 'RequisiteOf', 'BoundBy', 'ConsistsOf', 'PropagatesStopTo'] as const
/** Units that start with a unit. */
const START_WITH = ['Requires', 'Wants', 'BindsTo', 'Upholds'] as const
/** Units that stop when a unit starts. */
const STOP_AGAINST = ['Conflicts', 'ConflictedBy'] as const

const PROPERTIES = ['Id', 'ActiveState', 'LoadState', 'ConditionResult', 'ConditionTimestampMonotonic']
const QUERY_TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MOST_UNITS = 500

type Shown = ReadonlyMap<string, string>

/** The other units that these steps start, stop or enable, from the running systemd. */
export async function findCompanions(
  place: SystemdPlace,
  { unit, steps }: { readonly unit: string; readonly steps: readonly ServiceStep[] },
  signal: AbortSignal,
): Promise<Reading<readonly CompanionUnit[]>> {
  const found = new Map<string, CompanionUnit>()
  const shown = new Map<string, Shown>()
  let waiting: readonly CompanionUnit[] = steps.flatMap((step) =>
    step === 'start' || step === 'stop' || step === 'restart' ? [{ unit, step }] : [],
  )
  while (waiting.length > 0 && shown.size < MOST_UNITS) {
    const roots = await show(
      waiting.map((each) => each.unit),
      shown,
      signal,
    )
    if (roots.kind === 'unknown') return roots
    const related = waiting.flatMap((each) => relatedTo(each, shown.get(each.unit)))
    const others = await show(
      related.map((each) => each.unit),
      shown,
      signal,
    )
    if (others.kind === 'unknown') return others
    waiting = related.filter(
      (each) => each.unit !== unit && !found.has(each.unit) && changes(each, shown.get(each.unit)),
    )
    for (const each of waiting) found.set(each.unit, each)
  }
  const also = steps.includes('enable') || steps.includes('disable') ? namedWith(place, unit) : known([])
  if (also.kind === 'unknown') return also
  const enablement = steps.includes('enable') ? 'enable' : 'disable'
  return known([...found.values(), ...also.value.map((name) => ({ unit: name, step: enablement }) as const)])
}

function relatedTo({ unit, step }: CompanionUnit, shown: Shown | undefined): readonly CompanionUnit[] {
  const names = (properties: readonly string[]): readonly string[] =>
    properties.flatMap((property) =>
      (shown?.get(property) ?? '').split(' ').filter((name) => name !== '' && name !== unit),
    )
  const as = (other: CompanionUnit['step'], properties: readonly string[]): readonly CompanionUnit[] =>
    names(properties).map((name) => ({ unit: name, step: other }))
  if (step === 'stop') return as('stop', STOP_WITH)
  const started = [...as('start', START_WITH), ...as('stop', STOP_AGAINST)]
  return step === 'restart' ? [...as('restart', STOP_WITH), ...started] : started
}

const RUNNING: ReadonlySet<string> = new Set(['active', 'reloading', 'refreshing', 'activating'])

/** Whether the step would change the unit. A unit whose condition failed does not start. */
function changes({ step }: CompanionUnit, shown: Shown | undefined): boolean {
  const isRunning = RUNNING.has(shown?.get('ActiveState') ?? '')
  if (step !== 'start') return isRunning
  const isKept = shown?.get('ConditionResult') === 'no' && shown.get('ConditionTimestampMonotonic') !== '0'
  return !isRunning && shown?.get('LoadState') === 'loaded' && !isKept
}

async function show(units: readonly string[], shown: Map<string, Shown>, signal: AbortSignal): Promise<Reading<true>> {
  const names = [...new Set(units)].filter((unit) => !shown.has(unit)).slice(0, MOST_UNITS)
  if (names.length === 0) return known(true)
  const properties = [...PROPERTIES, ...STOP_WITH, ...START_WITH, ...STOP_AGAINST].join(',')
  const argv = ['systemctl', 'show', '--no-pager', `--property=${properties}`, '--', ...names] as const
  const outcome = await runProgram(argv, { timeoutMs: QUERY_TIMEOUT_MS, maxOutputBytes: MAX_ANSWER_BYTES, signal })
  if (outcome.kind !== 'exited' || outcome.stdout === '') return unansweredQuery('systemctl show', outcome)
  const blocks = outcome.stdout.trimEnd().split(/\n{2,}/)
  for (const [index, block] of blocks.entries()) {
    const values = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    shown.set(names[index] ?? '', values)
  }
  return known(true)
}
