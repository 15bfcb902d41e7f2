import { unlessAbsent } from '../../../host/if-there.ts'
import { basename } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { ServiceControl, ServiceStep } from '../services.ts'
import { openUnitFiles } from './enablement.ts'
import {
  filesOf,
  PERSISTENT_DIRECTORY,
  RUNTIME_DIRECTORY,
  type SystemdPlace,
  THIS_MACHINE,
} from '../../../host/systemd/place.ts'
import { askOne, isSettled, pause, waitUntilSettled } from './runtime.ts'
import { isRunning } from './service-manager.ts'
import { failureOf, runProgram } from '../../../host/systemd/systemctl.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { type EnablementStep, linkChanges } from './install-links.ts'
import { linksTo } from './links-to.ts'

const ENABLEMENT_STEPS: Readonly<Partial<Record<ServiceStep, EnablementStep>>> = {
  enable: 'enable',
  disable: 'disable',
  mask: 'mask',
  unmask: 'unmask',
}

const RUNLEVELS = ['0', '1', '2', '3', '4', '5', '6', 'S']

/** Time limit for starting or stopping a unit: longer than systemd's own default. */
const STEP_TIMEOUT_MS = 10 * 60_000

const QUERY_TIMEOUT_MS = 30_000

/** Waiting time for a unit that is still starting after `systemctl start` has returned, in milliseconds. */
const SETTLE_MS = 30_000

/** A program that cannot be executed or exits at once has failed by then, in milliseconds. */
const EARLY_FAILURE_MS = 500

/** Number of journal lines in the message of a failed start. */
const JOURNAL_LINES = 10

interface Work {
  readonly place: SystemdPlace
  readonly unit: string
  readonly signal: AbortSignal
}

export function createServiceControl(place: SystemdPlace = THIS_MACHINE): ServiceControl {
  return {
    touches: (unit, step) => touchedLinks(place, unit, step),
    async change(unit, steps, signal) {
      const failures: Failure[] = []
      for (const step of steps) {
        const outcome = await take(step, { place, unit, signal })
        if (outcome.kind === 'failed') failures.push(outcome)
      }
      return failures.length === 0 ? { kind: 'done' } : joinFailures(failures)
    },
  }
}

type Failure = Extract<ApplyOutcome, { kind: 'failed' }>

function joinFailures(failures: readonly Failure[]): Failure {
  const output = failures.map((failure) => failure.output ?? '').join('')
  return { kind: 'failed', message: failures.map(({ message }) => message).join('; '), output }
}

function take(step: ServiceStep, work: Work): Promise<ApplyOutcome> {
  switch (step) {
    case 'start':
    case 'restart':
      return start(step, work)
    case 'stop':
    case 'enable':
    case 'mask':
      return systemctl(work, [step, '--', work.unit])
    case 'disable':
      return withRuntime('disable', 'enabled-runtime', work)
    case 'unmask':
      return withRuntime('unmask', 'masked-runtime', work)
  }
}

async function start(verb: 'start' | 'restart', work: Work): Promise<ApplyOutcome> {
  const { unit, signal } = work
  const before = await askOne(unit, signal)
  // Without a reload, systemd would start the unit as loaded before, or find no unit.
  if (before.kind === 'known' && (before.value.needsReload || before.value.runtime.loadState === 'not-found')) {
    const reloaded = await systemctl(work, ['daemon-reload'])
    if (reloaded.kind === 'failed') return reloaded
  }
  const startedAtMs = Date.now()
  const started = await systemctl(work, [verb, '--', unit])
  const failure = started.kind === 'failed' ? started.message : await failureAfterStart(work)
  if (failure === undefined) return started
  return { kind: 'failed', message: failure, output: await endOfJournal(work, startedAtMs) }
}

/** A successful start proves little: a broken service usually fails after it. */
async function failureAfterStart({ unit, signal }: Work): Promise<string | undefined> {
  await pause(EARLY_FAILURE_MS, signal)
  const seen = await waitUntilSettled(unit, performance.now() + SETTLE_MS, signal)
  if (seen.kind === 'unknown') return seen.detail
  const { activeState, result } = seen.value.runtime
  if (isSettled(seen.value) && activeState !== 'failed') return undefined
  return `${unit} is ${activeState} after its start${result === '' || result === 'success' ? '' : ` (${result})`}`
}

/** Removing runtime links takes a separate command. */
async function withRuntime(
  step: 'disable' | 'unmask',
  left: 'enabled-runtime' | 'masked-runtime',
  work: Work,
): Promise<ApplyOutcome> {
  const done = await systemctl(work, [step, '--', work.unit])
  if (done.kind === 'failed') return done
  const seen = openUnitFiles(work.place).lookUp(work.unit)
  const isLeft = seen.kind === 'known' && seen.value?.state === left
  return isLeft ? systemctl(work, [step, '--runtime', '--', work.unit]) : done
}

async function systemctl({ place, signal }: Work, words: readonly string[]): Promise<ApplyOutcome> {
  const root = place.root === '' ? [] : [`--root=${place.root}`]
  const argv = ['systemctl', '--no-ask-password', '--quiet', ...root, ...words] as const
  const failure = failureOf(await runProgram(argv, { timeoutMs: STEP_TIMEOUT_MS, signal }))
  if (failure === undefined) return { kind: 'done' }
  return { kind: 'failed', message: `systemctl ${words.filter((word) => word !== '--').join(' ')}: ${failure}` }
}

/** Returns the last journal lines of the unit, and of systemd about it, since that time. */
async function endOfJournal({ place, unit, signal }: Work, sinceMs: number): Promise<string> {
  if (!isRunning(place)) return ''
  const options = ['--no-pager', '--quiet', '--output=cat', `--lines=${JOURNAL_LINES}`, `--since=@${sinceMs / 1000}`]
  const argv = ['journalctl', ...options, `--unit=${unit}`] as const
  const outcome = await runProgram(argv, { timeoutMs: QUERY_TIMEOUT_MS, signal })
  return outcome.kind === 'exited' ? outcome.stdout : ''
}

/**
 * The links that a step of systemctl creates or removes, including those from `systemctl link` and `add-wants`, those of
 * `Also=` units, and runtime links. Empty for a step that only affects the running unit.
 */
function touchedLinks(place: SystemdPlace, unit: string, step: ServiceStep): Reading<readonly string[]> {
  const enablement = ENABLEMENT_STEPS[step]
  if (enablement === undefined) return known([])
  const changes = linkChanges(place, enablement, unit)
  if (changes.kind === 'unknown') return changes
  const paths = changes.value.map(({ path }) => path)
  const names = new Set([unit, ...paths.map((path) => basename(path))])
  const present = [PERSISTENT_DIRECTORY, RUNTIME_DIRECTORY].flatMap((directory) =>
    linksTo(filesOf(place), new Set(names), directory),
  )
  return known([...new Set([...paths, ...present, ...runlevelLinks(filesOf(place), unit)])])
}

/**
 * For a unit with an init script, systemctl also runs update-rc.d, which renames the runlevel links: S01cron becomes
 * K01cron.
 */
function runlevelLinks(files: MachineFiles, unit: string): readonly string[] {
  const script = unit.replace(/\.service$/, '')
  return RUNLEVELS.flatMap((level) => {
    const directory = `/etc/rc${level}.d`
    const numbers = entriesOf(files, directory).flatMap(({ name }) =>
      /^[SK]\d\d/.test(name) && name.slice(3) === script ? [name.slice(1, 3)] : [],
    )
    return [...new Set(numbers)].flatMap((number) => ['S', 'K'].map((kind) => `${directory}/${kind}${number}${script}`))
  })
}

function entriesOf(files: MachineFiles, directory: string): ReturnType<MachineFiles['entries']> {
  return unlessAbsent(() => files.entries(directory)) ?? []
}
