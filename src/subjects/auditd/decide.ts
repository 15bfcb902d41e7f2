import { countOf } from '../../model/count-of.ts'
import type { Decision } from '../../model/decision.ts'
import { unreadable } from '../../model/differences.ts'
import { defined } from '../../model/defined.ts'
import type { Drift, UnknownProperty } from '../../model/drift.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import type { AuditLayer, LayerEntry } from './rules/layers.ts'
import { type AuditLine, printLine } from './rules/rule.ts'
import type { AuditChange, AuditState } from './auditd.ts'
import { notEntered, notLookedAt } from '../shared/trees.ts'
import { type Bench, isOfKernel, judgeLine, type Judgement } from './judge.ts'
import { planFor } from './plan.ts'
import type { Programs } from './programs.ts'
import { type AuditRuleDesired, wantedLines } from './wanted.ts'

/** The layers in the order in which drifts list them. */
const LAYERS = ['loaded', 'compiled', 'stored'] as const

export interface AuditObserved {
  readonly audit: AuditState
  /** Absent unless the resource has rules for each setuid or setgid program. */
  readonly programs?: Reading<Programs>
}

/** Compares the desired rules with the kernel, the compiled file and the result of compiling rules.d. */
export function decideAuditRule(wanted: AuditRuleDesired, { audit, programs }: AuditObserved): Decision<AuditChange> {
  const lines = wantedLines(wanted, programs?.kind === 'known' ? programs.value.paths : [])
  const { compare_key: comparesKey, if_absent: ifAbsent } = wanted
  const bench: Bench = { audit, comparesKey, mayLack: ifAbsent === 'compliant', files: filesOf(audit) }
  const layers = layersOf(audit)
  const { drift, unknown } = mergeParts([
    { ...AS_WANTED, unknown: unknownOf(programs) },
    ...LAYERS.map((name) => compareLayer({ name, layer: layers[name] }, { wanted, lines, bench })),
    drifted(...compareEnabled(audit, lines)),
  ])
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown,
    comparesStored: layers.compiled.kind === 'known' && layers.stored.kind === 'known',
    plan: planFor({ wanted, lines, bench, audit, drift }),
    messages: programs?.kind === 'known' ? messagesOf(programs.value) : [],
  }
}

/** If the search may have missed a program, it is unknown whether all programs are covered. */
function unknownOf(programs: AuditObserved['programs']): readonly UnknownProperty[] {
  if (programs === undefined) return []
  return programs.kind === 'unknown'
    ? [unreadable('set_id_below', programs)]
    : notLookedAt('set_id_below', programs.value.unread)
}

function messagesOf({ directory, paths, leftOut }: Programs): readonly string[] {
  return [`${countOf(paths.length, 'setuid or setgid program')} below ${directory}`, ...notEntered(leftOut)]
}

function layersOf({
  loaded,
  compiled,
  stored,
}: AuditState): Readonly<Record<(typeof LAYERS)[number], Reading<AuditLayer>>> {
  return {
    loaded: loaded.kind === 'unknown' ? loaded : known(loaded.value.layer),
    compiled,
    stored: stored.kind === 'unknown' ? stored : known(stored.value.layer),
  }
}

/** The rules of the files. Sources come first, because a user edits the sources. */
function filesOf({ compiled, stored }: AuditState): readonly LayerEntry[] {
  return [
    ...(stored.kind === 'known' ? stored.value.layer.entries : []),
    ...(compiled.kind === 'known' ? compiled.value.entries : []),
  ]
}

interface Layer {
  readonly name: (typeof LAYERS)[number]
  readonly layer: Reading<AuditLayer>
}

interface Comparison {
  readonly wanted: AuditRuleDesired
  readonly lines: readonly AuditLine[]
  readonly bench: Bench
}

function compareLayer({ name, layer }: Layer, { wanted, lines, bench }: Comparison): PartialDecision {
  if (layer.kind === 'unknown') return undecided(name, layer)
  const isOneOfMany = (wanted.rules ?? wanted.set_id_below) !== undefined
  const asked = lines.filter((line) => name !== 'loaded' || isOfKernel(line))
  return mergeParts(
    asked.map((line) => {
      const judgement = judgeLine(line, layer.value, bench)
      if (judgement.kind === 'unclear') return undecided(name, unknown('invalid', judgement.detail))
      return judgement.kind === 'wrong' ? drifted(driftOf(name, { line, judgement, isOneOfMany })) : AS_WANTED
    }),
  )
}

interface Wrong {
  readonly line: AuditLine
  readonly judgement: Extract<Judgement, { kind: 'wrong' }>
  readonly isOneOfMany: boolean
}

function driftOf(property: string, { line, judgement: { observed, note }, isOneOfMany }: Wrong): Drift {
  const desired = printLine(line)
  return { property, desired, observed, ...defined({ path: isOneOfMany ? desired : undefined }), note }
}

/** Loaded rules record nothing while auditing is disabled, and the next boot loads a line that disables it. */
function compareEnabled(state: AuditState, lines: readonly AuditLine[]): readonly Drift[] {
  if (!lines.some((line) => line.kind === 'rule' && line.action === 'always')) return []
  const { loaded, compiled, stored } = state
  const isOff = loaded.kind === 'known' && loaded.value.enabled === 0
  const layers = [
    ...(compiled.kind === 'known' ? [compiled.value] : []),
    ...(stored.kind === 'known' ? [stored.value.layer] : []),
  ]
  const written = layers.flatMap(({ settings }) => settings.get('-e') ?? [])
  const line = written.find(({ value }) => value === 0)
  if (!isOff && line === undefined) return []
  const place = line?.at === undefined ? '' : `: ${line.at.file}:${line.at.line}`
  const note = isOff ? 'auditing is disabled: the kernel records no events' : `auditing is disabled at boot${place}`
  return [{ property: 'enabled', desired: 1, observed: 0, note }]
}
