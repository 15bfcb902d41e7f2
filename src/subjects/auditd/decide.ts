import { countOf } from '../../model/count-of.ts'
import type { Decision } from '../../model/decision.ts'
import { unreadable } from '../../model/differences.ts'
import { defined } from '../../model/defined.ts'
import type { Drift, UnknownProperty } from '../../model/drift.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { AuditLayer, LayerEntry } from './rules/layers.ts'
import { type AuditLine, printLine } from './rules/rule.ts'
import type { AuditChange, AuditState } from './auditd.ts'
import { notEntered, notLookedAt } from '../shared/trees.ts'
import { type Bench, isOfKernel, judgeLine, type Judgement } from './judge.ts'
import { planFor } from './plan.ts'
import type { Programs } from './programs.ts'
import { type AuditRuleDesired, wantedLines } from './wanted.ts'

/** The three layers, in the order in which a rule comes from one into the next, as drifts name them. */
const LAYERS = ['loaded', 'compiled', 'stored'] as const

/** What is there. */
export interface AuditObserved {
  readonly audit: AuditState
  /** Absent where the rules are not about each of them. */
  readonly programs?: Reading<Programs>
}

/** What one layer comes to. */
interface LayerFinding {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
}

/** Compares rules with what the kernel has, with the compiled file, and with what the next start makes of the sources. */
export function decideAuditRule(wanted: AuditRuleDesired, { audit, programs }: AuditObserved): Decision<AuditChange> {
  const lines = wantedLines(wanted, programs?.kind === 'known' ? programs.value.paths : [])
  const bench: Bench = { audit, comparesKey: wanted.compare_key, files: filesOf(audit) }
  const layers = layersOf(audit)
  const found = LAYERS.map((name) => compareLayer({ name, layer: layers[name] }, { wanted, lines, bench }))
  const drift = [...found.flatMap((each) => each.drift), ...compareEnabled(audit, lines)]
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown: [...unknownOf(programs), ...found.flatMap((each) => each.unknown)],
    comparesStored: layers.compiled.kind === 'known' && layers.stored.kind === 'known',
    plan: planFor({ wanted, lines, bench, audit, drift }),
    messages: programs?.kind === 'known' ? messagesOf(programs.value) : [],
  }
}

/** As long as a program may have been missed, it is unknown whether all of them are covered. */
function unknownOf(programs: AuditObserved['programs']): readonly UnknownProperty[] {
  if (programs === undefined) return []
  return programs.kind === 'unknown'
    ? [unreadable('set_id_below', programs)]
    : notLookedAt('set_id_below', programs.value.unread)
}

function messagesOf({ directory, paths, leftOut }: Programs): readonly string[] {
  return [`${countOf(paths.length, 'set-id program')} below ${directory}`, ...notEntered(leftOut)]
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

/** The rules of the files: sources first, because that is where a rule is changed. */
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

function compareLayer({ name, layer }: Layer, { wanted, lines, bench }: Comparison): LayerFinding {
  if (layer.kind === 'unknown') return { drift: [], unknown: [unreadable(name, layer)] }
  const drift: Drift[] = []
  const unclear: UnknownProperty[] = []
  for (const line of lines) {
    if (name === 'loaded' && !isOfKernel(line)) continue
    const judgement = judgeLine(line, layer.value, bench)
    if (judgement.kind === 'unclear') unclear.push({ property: name, reason: 'invalid', detail: judgement.detail })
    if (judgement.kind === 'wrong')
      drift.push(driftOf(name, { line, judgement, isOneOfMany: (wanted.rules ?? wanted.set_id_below) !== undefined }))
  }
  return { drift, unknown: unclear }
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

/** Rules that are loaded record nothing while auditing is off, and a start loads what switches it off. */
function compareEnabled(state: AuditState, lines: readonly AuditLine[]): readonly Drift[] {
  if (!lines.some((line) => line.kind === 'rule' && line.action === 'always')) return []
  const { loaded, compiled, stored } = state
  const off = { property: 'enabled', desired: 1, observed: 0 } as const
  const isOff = loaded.kind === 'known' && loaded.value.enabled === 0
  const layers = [
    ...(compiled.kind === 'known' ? [compiled.value] : []),
    ...(stored.kind === 'known' ? [stored.value.layer] : []),
  ]
  const written = layers.flatMap(({ settings }) => settings.get('-e') ?? [])
  const line = written.find(({ value }) => value === 0)
  return [
    ...(isOff ? [{ ...off, note: 'auditing is disabled, so the kernel records no events' }] : []),
    ...(line === undefined || isOff
      ? []
      : [
          {
            ...off,
            note: `a start disables auditing${line.at === undefined ? '' : `: ${line.at.file}:${line.at.line}`}`,
          },
        ]),
  ]
}
