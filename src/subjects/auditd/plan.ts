import { baseName } from '../../model/file-name.ts'
import { createHash } from 'node:crypto'
import { NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import type { Drift } from '../../model/drift.ts'
import type { Effect } from '../../model/effect.ts'
import { pendingReboot } from '../../model/notes.ts'
import type { AuditChange, AuditState } from './auditd.ts'
import { type Bench, judgeLine } from './judge.ts'
import { type RulesFile, compileRules, type LeadingSpace } from './rules/augenrules.ts'
import { compareVersionNames } from './rules/file-order.ts'
import { type AuditLayer, loadLines } from './rules/layers.ts'
import { type AuditLine, printLine } from './rules/rule.ts'
import { type AuditRuleDesired, isWritable } from './wanted.ts'

export interface Occasion {
  readonly wanted: AuditRuleDesired
  readonly lines: readonly AuditLine[]
  readonly bench: Bench
  readonly audit: AuditState
  readonly drift: readonly Drift[]
}

/** The sources after a fix: the drop-in, absent if they are compliant, and the layer that they compile to. */
interface Sources {
  readonly file?: RulesFile
  readonly after: AuditLayer
}

/** Adds missing rules in a drop-in, compiles them and loads them if the kernel accepts them. */
export function planFor(occasion: Occasion): Plan<AuditChange> {
  const { audit, drift, lines } = occasion
  const isWrong = (property: string): boolean => drift.some((each) => each.property === property)
  if (drift.length === 0) return NO_PLAN
  const sources = sourcesFor(occasion, isWrong('stored'))
  if ('reason' in sources) return { kind: 'refuse', obstacles: [sources] }
  const { file, after } = sources
  const [first, ...others] = [
    ...(file === undefined ? [] : stillWrong(occasion, after)),
    ...(isWrong('enabled') && !lines.some(isEnabling) ? [OFF] : []),
  ]
  const loading = whetherLoaded(audit, after, isWrong('loaded') || file !== undefined)
  const blocked = typeof loading === 'boolean' || !isWrong('loaded') ? [] : [loading]
  const load = loading === true
  if (file === undefined && !isWrong('compiled') && !load) {
    const [obstacle, ...more] = [...blocked, ...(first === undefined ? [] : [first, ...others])]
    return obstacle === undefined ? NO_PLAN : { kind: 'refuse', obstacles: [obstacle, ...more] }
  }
  const action: AuditChange = { ...(file === undefined ? {} : { file }), load }
  const [leaves, ...rest] = [...blocked, ...(first === undefined ? [] : [first, ...others])]
  const act = { kind: 'act', action, text: textOf(action), effects: effectsOf(action), obstacles: [] } as const
  return leaves === undefined ? act : { ...act, leaves: [leaves, ...rest] }
}

function isEnabling(line: AuditLine): boolean {
  return line.kind === 'setting' && line.name === '-e' && line.value !== 0
}

const OFF = cannot('auditing is off: start auditd, or set -e 1', { mayComeWithRequirement: true })

function sourcesFor({ wanted, lines, bench, audit }: Occasion, isWrong: boolean): Sources | Obstacle {
  const { stored, compiled } = audit
  if (!audit.canCompile) {
    return cannot('augenrules is not installed: install the package auditd or audit', {
      mayComeWithRequirement: true,
    })
  }
  if (stored.kind === 'unknown') return cannot(`cannot read the stored rules: ${stored.detail}`)
  const { files, leading, layer } = stored.value
  if (files === undefined && (compiled.kind === 'unknown' || compiled.value.entries.length > 0)) {
    return cannot(
      '/etc/audit/rules.d does not exist, and augenrules would replace the rules in /etc/audit/audit.rules: move them there',
    )
  }
  if (!isWrong) return { after: layer }
  const path = ownFile(wanted.name, lines)
  const others = withoutFile(files ?? [], path)
  const foreign = others.length === files?.length ? layer : layerOf(others, leading, audit)
  // Omits rules that other files contain: auditctl stops at a duplicate rule.
  const ours = lines.filter((line) => judgeLine(line, foreign, bench).kind !== 'covered' && isTaken(line, audit))
  const written = (some: readonly AuditLine[]): Required<Sources> => {
    const file = { path, text: ownText(some, audit) }
    return { file, after: layerOf(withFile(files ?? [], file), leading, audit) }
  }
  const tried = written(ours)
  const [reason] = stillWrong({ lines, bench }, tried.after)
  const helped = ours.filter((line) => judgeLine(line, tried.after, bench).kind === 'covered')
  if (helped.length === 0 && reason !== undefined) return reason
  const sources = helped.length === ours.length ? tried : written(helped)
  const isSame = files?.some((each) => each.path === path && each.text === sources.file.text) === true
  return isSame ? (reason ?? { after: sources.after }) : sources
}

/** Whether auditctl and the kernel accept the rule: a refused rule keeps all later ones from being loaded. */
function isTaken(line: AuditLine, { resolve }: AuditState): boolean {
  return line.kind === 'setting' || (isWritable(line) && resolve(line).kind === 'rule')
}

/** Lines that other files still override after the drop-in is written. */
function stillWrong({ lines, bench }: Pick<Occasion, 'lines' | 'bench'>, after: AuditLayer): readonly Obstacle[] {
  return lines.flatMap((line) => {
    const judgement = judgeLine(line, after, bench)
    if (judgement.kind === 'covered') return []
    const found = judgement.kind === 'wrong' ? judgement.note : judgement.detail
    const reason = isWritable(line) ? found : `${found}, and a rules file cannot contain this name: rename it`
    return [cannot(`${printLine(line)}: ${reason}`)]
  })
}

/** Whether the rules can be loaded now; otherwise the reason to wait for the next boot. */
function whetherLoaded({ loaded }: AuditState, after: AuditLayer, isAsked: boolean): boolean | Obstacle {
  if (!isAsked || loaded.kind === 'unknown') return false
  const { enabled, layer } = loaded.value
  if (enabled === 2) return cannot(pendingReboot('the kernel rejects rule changes while enabled is 2'))
  const isLenient = after.settings.has('-i') || after.settings.has('-c')
  const stop = after.entries.find(({ kind }) => kind === 'end' || (kind === 'unclear' && !isLenient))
  // The kernel would keep only the rules before that line.
  if (stop !== undefined && stop.kind !== 'rule') {
    return cannot(`auditctl would stop at ${stop.at?.file}:${stop.at?.line}: ${stop.message}; correct that line first`)
  }
  const isFresh = layer.entries.length === 0 || isLenient || after.settings.has('-D')
  // Without -D the loaded rules stay, and auditctl stops at the first duplicate.
  return isFresh || cannot(pendingReboot('no line in /etc/audit/rules.d deletes the loaded rules (-D)'))
}

function textOf({ file, load }: AuditChange): string {
  const parts = [
    ...(file === undefined ? [] : [`written ${file.path}`]),
    'compiled the audit rules',
    ...(load ? ['loaded them'] : []),
  ]
  return `Would have ${parts.join(', would have ')}`
}

function effectsOf({ file, load }: AuditChange): readonly Effect[] {
  return [
    ...(file === undefined ? [] : [{ kind: 'write', object: file.path } as const]),
    { kind: 'run', object: load ? 'augenrules --load' : 'augenrules' },
  ]
}

const DIRECTORY = '/etc/audit/rules.d/'
/** augenrules joins a file without a final newline with the next one; the empty line ends its last line. */
const HEAD = '\n# Written by driftgate. A fix writes it again.\n'

/**
 * The drop-in for a resource. Rules sort before the usual final file; settings sort last, because the last one wins.
 */
export function ownFile(name: string, lines: readonly AuditLine[]): string {
  const words = name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${DIRECTORY}${lines.every(({ kind }) => kind === 'rule') ? '60' : '99'}-driftgate-${words.slice(0, 60)}-${digest}.rules`
}

/** The contents of the drop-in. */
function ownText(lines: readonly AuditLine[], { resolve, syscalls }: AuditState): string {
  const written = lines.map((line): AuditLine => {
    if (line.kind === 'setting') return line
    const resolved = resolve(line)
    const { arch } = line
    // auditctl refuses system calls that are not in its table.
    const calls =
      line.syscalls === 'all' || arch === undefined
        ? line.syscalls
        : line.syscalls.filter((call) => !syscalls.isForeign(arch, call))
    return { ...line, syscalls: calls, fields: resolved.kind === 'rule' ? resolved.rule.fields : line.fields }
  })
  return `${HEAD}${written.map((line) => `${printLine(line)}\n`).join('')}`
}

function withoutFile(files: readonly RulesFile[], path: string): readonly RulesFile[] {
  return files.filter((file) => file.path !== path)
}

/** Inserts the file in load order. */
function withFile(files: readonly RulesFile[], file: RulesFile): readonly RulesFile[] {
  const nameOf = ({ path }: RulesFile): string => baseName(path)
  return [...withoutFile(files, file.path), file].toSorted((left, right) =>
    compareVersionNames(nameOf(left), nameOf(right)),
  )
}

/** The layer that the next boot loads from these files. */
function layerOf(files: readonly RulesFile[], leading: LeadingSpace, { resolve, syscalls }: AuditState): AuditLayer {
  return loadLines(compileRules(files, leading), resolve, syscalls)
}
