import { type Decision, NO_PLAN } from '../../../model/decision.ts'
import { defined } from '../../../model/defined.ts'
import type { Drift } from '../../../model/drift.ts'
import { lostAtNextUpdate, pendingReboot, shadowedBy } from '../../../model/notes.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../../model/partial-decision.ts'
import type { BootEntry } from '../settings/grub-menu.ts'
import type { BootSource } from '../settings/sources.ts'
import { type BootArgumentDesired, judge, type Wrong } from './judge.ts'
import { type Layers, readLayers } from './layers.ts'
import { type BootAction, type BootArgumentState, planBootArgument } from './plan.ts'

/** Compares an argument with the running command line, the boot entries and their sources. */
export function decideBootArgument(wanted: BootArgumentDesired, observed: BootArgumentState): Decision<BootAction> {
  const layers = readLayers(observed.files, observed.images)
  const { drift, unknown } = mergeParts([
    compareRunning(wanted, layers),
    compareEntries(wanted, layers),
    compareSources(wanted, layers),
  ])
  return {
    ensure: { desired: wanted.ensure, observed: wanted.ensure },
    drift,
    unknown,
    comparesStored: layers.entries.kind === 'known' && layers.sources.kind === 'known',
    plan: drift.length === 0 ? NO_PLAN : planBootArgument(wanted, observed, layers),
  }
}

function compareRunning(wanted: BootArgumentDesired, layers: Layers): PartialDecision {
  const { running } = layers
  if (running.kind === 'unknown') return undecided('value', running)
  const wrong = judge(wanted, running.value)
  if (wrong === undefined) return AS_WANTED
  const note = areRight(wanted, layers) ? pendingReboot('the boot entries are compliant') : wrong.why
  return drifted(driftOf('value', wanted, { ...wrong, ...defined({ note }) }))
}

function areRight(wanted: BootArgumentDesired, { entries }: Layers): boolean {
  const { drift, unknown } = compareEntries(wanted, { entries })
  return drift.length === 0 && unknown.length === 0
}

function compareEntries(wanted: BootArgumentDesired, { entries }: Pick<Layers, 'entries'>): PartialDecision {
  if (entries.kind === 'unknown') return undecided('entries', entries)
  return mergeParts(entries.value.map((entry) => compareEntry(wanted, entry)))
}

function compareEntry(wanted: BootArgumentDesired, entry: BootEntry): PartialDecision {
  const { title, file, line, commandLines, isRecovery } = entry
  if (isRecovery && !wanted.recovery) return AS_WANTED
  if (commandLines.kind === 'unknown') return undecided('entries', commandLines)
  const [wrong] = commandLines.value.flatMap((each) => judge(wanted, each) ?? [])
  if (wrong === undefined) return AS_WANTED
  const note = `${file}:${line}${wrong.why === undefined ? '' : `: ${wrong.why}`}`
  return drifted(driftOf('entries', wanted, { ...wrong, path: title, note }))
}

function compareSources(wanted: BootArgumentDesired, layers: Layers): PartialDecision {
  const { sources } = layers
  if (sources.kind === 'unknown') return undecided('source', sources)
  const isRightNow = areRight(wanted, layers)
  const drift = wrongSources(wanted, sources.value).map(({ source, wrong }) => {
    const said = noteOn(wanted, source, wrong)
    const note = isRightNow ? lostAtNextUpdate(said) : said
    return driftOf('source', wanted, { ...wrong, path: source.file, note })
  })
  return drifted(...drift)
}

/** The first wrong source of each file: arguments for all entries are part of the others. */
function wrongSources(
  wanted: BootArgumentDesired,
  sources: readonly BootSource[],
): readonly { readonly source: BootSource; readonly wrong: Wrong }[] {
  const seen = new Set<string>()
  return sources.flatMap((source) => {
    const isAsked = !source.isRecovery || wanted.recovery
    const wrong = isAsked && !seen.has(source.file) ? judge(wanted, source.commandLine) : undefined
    if (wrong === undefined) return []
    seen.add(source.file)
    return [{ source, wrong }]
  })
}

function noteOn(wanted: BootArgumentDesired, source: BootSource, wrong: Wrong): string {
  if (wrong.why !== undefined) return wrong.why
  const { at, shadowed, isRecovery, file } = source
  const isHidden = shadowed.some(({ value }) => hasIt(wanted, value))
  if (at !== undefined && isHidden) return shadowedBy(at)
  if (isRecovery) return 'recovery entries use GRUB_CMDLINE_LINUX only'
  return at === undefined ? `according to ${file}` : `according to ${at.file}:${at.line}`
}

/** Whether a text has the argument with an accepted value. */
function hasIt(wanted: BootArgumentDesired, text: string): boolean {
  return wanted.ensure === 'present' && judge({ ...wanted, if_absent: 'create' }, text) === undefined
}

interface ArgumentDrift extends Wrong {
  readonly path?: string
  readonly note?: string
}

function driftOf(property: string, wanted: BootArgumentDesired, { observed, path, note }: ArgumentDrift): Drift {
  const desired = wanted.value ?? wanted.ensure
  return { property, desired, observed: shownAs(observed, wanted), ...defined({ path, note }) }
}

function shownAs(observed: string | null, { value }: BootArgumentDesired): string {
  if (observed === null) return 'absent'
  if (value === undefined) return 'present'
  return observed === '' ? 'without a value' : observed
}
