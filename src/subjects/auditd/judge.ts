import { type Cell, judgeRule, type Verdict } from './rules/coverage.ts'
import type { AuditLayer, LayerEntry, RuleOrigin } from './rules/layers.ts'
import { type AuditLine, type AuditSetting, meaningOf, printLine, SETTINGS } from './rules/rule.ts'
import type { AuditState } from './auditd.ts'
import { cannotBeMetHere, shadowedBy } from '../../model/notes.ts'

/** Verdict of a layer on a desired line. */
export type Judgement =
  | { readonly kind: 'covered' }
  | { readonly kind: 'unclear'; readonly detail: string }
  /** `observed` is the closest rule or setting, if any. */
  | { readonly kind: 'wrong'; readonly observed: string | null; readonly note: string }

/** Inputs of a judgement besides the layer. */
export interface Bench {
  readonly audit: Pick<AuditState, 'resolve' | 'syscalls'>
  readonly comparesKey: boolean
  /** Whether a setting that no line has is compliant. */
  readonly mayLack: boolean
  /** Candidates for the origin of a kernel rule. */
  readonly files: readonly LayerEntry[]
}

const COVERED: Judgement = { kind: 'covered' }

/** Judges a desired line against one layer. */
export function judgeLine(line: AuditLine, layer: AuditLayer, bench: Bench): Judgement {
  if (line.kind === 'setting') return judgeSetting(line, layer, bench)
  const resolved = bench.audit.resolve(line)
  if (resolved.kind === 'unclear') return { kind: 'unclear', detail: resolved.message }
  if (resolved.kind === 'refused') {
    return {
      kind: 'wrong',
      observed: null,
      note: cannotBeMetHere(`${resolved.message}, so the kernel rejects the rule`),
    }
  }
  const { syscalls } = bench.audit
  const parts = judgeRule({ wanted: resolved.rule, entries: layer.entries, syscalls, comparesKey: bench.comparesKey })
  const worst = ORDER.flatMap((kind) => parts.find(({ verdict }) => verdict.kind === kind) ?? []).at(0)
  if (worst === undefined) return COVERED
  const failed = parts.filter(({ verdict }) => verdict.kind === worst.verdict.kind)
  const where = failed.length === parts.length ? '' : ` (${failed.map(({ cell }) => wordsOf(cell)).join(', ')})`
  return toJudgement(worst.verdict, where, bench)
}

/** Known defects take precedence over unknown results. */
const ORDER = ['hidden', 'ended', 'other-key', 'narrower', 'missing', 'unclear'] as const

function wordsOf(cell: Cell | undefined): string {
  if (cell === undefined) return ''
  const access = cell.permission === undefined ? [] : [`perm=${cell.permission}`]
  return [cell.arch, ...(cell.syscall === 'all' ? [] : [cell.syscall]), ...access].join(' ')
}

function toJudgement(verdict: Verdict, where: string, { files }: Bench): Judgement {
  switch (verdict.kind) {
    case 'covered':
      return COVERED
    case 'unclear':
      return unclearBy(verdict.by)
    case 'hidden':
      return { kind: 'wrong', observed: verdict.by.text, note: `${shadowOf(verdict.by, files)}${where}` }
    case 'ended':
      return {
        kind: 'wrong',
        observed: null,
        note: `auditctl stops at ${placeOf(verdict.by)}, before any such rule: ${verdict.by.message}`,
      }
    case 'other-key':
      return {
        kind: 'wrong',
        observed: verdict.by.text,
        note: `${placeOf(verdict.by)} records it without the desired key${where}`,
      }
    case 'narrower':
      return {
        kind: 'wrong',
        observed: verdict.by.text,
        note: `${placeOf(verdict.by)} is narrower: it requires ${verdict.condition}${where}`,
      }
    case 'missing':
      return { kind: 'wrong', observed: null, note: `no rule covers it${where}` }
  }
}

function unclearBy(entry: Extract<LayerEntry, { kind: 'unclear' }>): Judgement {
  return { kind: 'unclear', detail: `${placeOf(entry)}: ${entry.message}: ${entry.text}` }
}

/** The kernel has no line numbers, so the files supply the origin of its rules. */
function shadowOf(entry: Extract<LayerEntry, { kind: 'rule' }>, files: readonly LayerEntry[]): string {
  const at = entry.at ?? originOf(entry, files)
  return at === undefined ? `shadowed by a rule that is only in the kernel, not in a file` : shadowedBy(at)
}

function originOf(entry: Extract<LayerEntry, { kind: 'rule' }>, files: readonly LayerEntry[]): RuleOrigin | undefined {
  const meaning = meaningOf(entry.rule)
  return files.find((each) => each.kind === 'rule' && meaningOf(each.rule) === meaning)?.at
}

function placeOf({ at }: { readonly at?: RuleOrigin }): string {
  return at === undefined ? 'the kernel' : `${at.file}:${at.line}`
}

/** Settings for which a larger value is compliant. */
const AT_LEAST: readonly AuditSetting['name'][] = ['-b', '--backlog_wait_time']

function judgeSetting(wanted: AuditSetting, { settings, unclear }: AuditLayer, { mayLack }: Bench): Judgement {
  const { name, value = 1 } = wanted
  if (unclear !== undefined) return unclearBy(unclear)
  const found = settings.get(name)
  if (found === undefined) return mayLack ? COVERED : { kind: 'wrong', observed: null, note: 'no line sets it' }
  // `-e 2` (locked) implies `-e 1` (enabled).
  const isMore = AT_LEAST.includes(name) || (name === '-e' && value > 0)
  if (isMore ? found.value >= value : found.value === value) return COVERED
  const observed = printLine({ kind: 'setting', name, value: found.value })
  return { kind: 'wrong', observed, note: found.at === undefined ? 'set in the kernel' : shadowedBy(found.at) }
}

/** Whether the kernel reports the line. Other settings only affect how auditctl reads a file. */
export function isOfKernel(line: AuditLine): boolean {
  return line.kind === 'rule' || SETTINGS[line.name] !== undefined
}
