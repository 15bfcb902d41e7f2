import { trimBlanksOfC } from '../../../settings/blanks.ts'
import { defined } from '../../../model/defined.ts'
import { mayRemove, type ParsedLine, parseLine } from './parse.ts'
import { type AuditRule, type AuditSetting, printLine, type SettingName } from './rule.ts'
import type { Syscalls } from './syscalls.ts'

export interface RuleOrigin {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

/** A line with its origin; kernel rules have no origin. */
export interface PlacedText {
  readonly text: string
  readonly at?: RuleOrigin
}

/** A rule as the host resolves it: numeric account ids, real paths except for the last component, no `watch`. */
export type Resolved =
  | { readonly kind: 'rule'; readonly rule: AuditRule }
  /** The kernel refuses the rule, because a name or path in it does not exist. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unclear'; readonly message: string }

/** A rule in evaluation order. `text` is its normal form before it is resolved. */
export type LayerEntry =
  | { readonly kind: 'rule'; readonly rule: AuditRule; readonly text: string; readonly at?: RuleOrigin }
  /** The meaning is unknown: the line may be any rule, and it may override later ones. */
  | { readonly kind: 'unclear'; readonly message: string; readonly text: string; readonly at?: RuleOrigin }
  /** auditctl stops here and loads none of the later lines. */
  | { readonly kind: 'end'; readonly message: string; readonly text: string; readonly at?: RuleOrigin }

export interface PlacedSetting {
  readonly value: number
  readonly at?: RuleOrigin
}

export interface AuditLayer {
  readonly entries: readonly LayerEntry[]
  readonly settings: ReadonlyMap<SettingName, PlacedSetting>
  /** A line that may change the settings, or keep auditctl from reading later ones; the kernel tells its settings. */
  readonly unclear?: Extract<LayerEntry, { kind: 'unclear' }>
}

interface Loading {
  readonly resolve: (rule: AuditRule) => Resolved
  readonly settings: Map<SettingName, PlacedSetting>
  /** Rules loaded so far, with their fields in the original order: the kernel refuses duplicates. */
  readonly seen: Map<string, LayerEntry>
  entries: LayerEntry[]
  goesOn: boolean
  isLocked: boolean
  unclear?: Extract<LayerEntry, { kind: 'unclear' }>
}

/**
 * The state of the kernel after auditctl has read these lines in order. It stops at a system call that the architecture
 * does not have; the kernel lists only those that it has. @see auditctl(8), -R
 */
export function loadLines(
  lines: readonly PlacedText[],
  resolve: (rule: AuditRule) => Resolved,
  syscalls?: Syscalls,
): AuditLayer {
  const loading: Loading = {
    resolve: (rule) => callProblem(rule, syscalls) ?? resolve(rule),
    settings: new Map(),
    seen: new Map(),
    entries: [],
    goesOn: false,
    isLocked: false,
  }
  for (const placed of lines) {
    const parsed = parseLine(placed.text)
    const end = endBefore(parsed, loading) ?? take(parsed, placed, loading)
    if (end === undefined) continue
    loading.entries.push({ kind: 'end', message: end, ...shownOf(parsed, placed) })
    break
  }
  const { entries, settings, unclear } = loading
  return { entries, settings, ...defined({ unclear }) }
}

function callProblem({ list, arch, syscalls: calls }: AuditRule, syscalls: Syscalls | undefined): Resolved | undefined {
  if (syscalls === undefined || list !== 'exit' || calls === 'all') return undefined
  const of = arch ?? syscalls.native
  const foreign = calls.find((call) => syscalls.isForeign(of, call))
  if (foreign !== undefined) return { kind: 'refused', message: `${of} has no system call ${foreign}` }
  const other = calls.find((call) => syscalls.isNew(of, call))
  return other === undefined
    ? undefined
    : { kind: 'unclear', message: `auditctl may not know the system call ${other}` }
}

function endBefore(parsed: ParsedLine, { isLocked }: Loading): string | undefined {
  return isLocked && parsed.kind !== 'nothing' ? 'it follows -e 2, which locks the rules' : undefined
}

function shownOf(parsed: ParsedLine, { text, at }: PlacedText): { readonly text: string; readonly at?: RuleOrigin } {
  const isLine = parsed.kind === 'rule' || parsed.kind === 'setting'
  return { text: isLine ? printLine(parsed) : trimBlanksOfC(text), ...(at === undefined ? {} : { at }) }
}

/** Loads one line; returns a message if auditctl stops there. */
function take(parsed: ParsedLine, placed: PlacedText, loading: Loading): string | undefined {
  switch (parsed.kind) {
    case 'nothing':
      return undefined
    case 'problem':
      if (parsed.isRefused) return loading.goesOn ? undefined : parsed.message
      takeUnclear(parsed.message, placed, loading)
      return undefined
    case 'removal':
      return takeRemoval(parsed.rule, placed, loading)
    case 'setting':
      takeSetting(parsed, placed, loading)
      return undefined
    case 'rule':
      return takeRule(parsed, placed, loading)
  }
}

function takeSetting({ name, value = 1 }: AuditSetting, { at }: PlacedText, loading: Loading): void {
  loading.settings.set(name, { value, ...(at === undefined ? {} : { at }) })
  if (name === '-D') {
    loading.entries = stopOf(loading)
    loading.seen.clear()
  }
  if (name === '-i' || name === '-c') loading.goesOn = true
  if (name === '-e' && value === 2) loading.isLocked = true
}

/** A line at which auditctl may have stopped comes before everything that follows it. */
function stopOf({ unclear, goesOn }: Loading): LayerEntry[] {
  return unclear === undefined || goesOn ? [] : [unclear]
}

/** If the line may delete rules, the earlier rules are unknown, too. */
function takeUnclear(message: string, { text, at }: PlacedText, loading: Loading): void {
  const entry: LayerEntry = { kind: 'unclear', message, text: trimBlanksOfC(text), ...(at === undefined ? {} : { at }) }
  loading.unclear = entry
  if (mayRemove(text)) loading.entries.unshift(entry)
  else loading.entries.push(entry)
}

function takeRemoval(parsed: AuditRule, placed: PlacedText, loading: Loading): string | undefined {
  const resolved = loading.resolve(parsed)
  if (resolved.kind === 'unclear') {
    takeUnclear(resolved.message, placed, loading)
    return undefined
  }
  const same = resolved.kind === 'rule' ? asKernelCompares(resolved.rule, placed.text) : undefined
  const found = same === undefined ? undefined : loading.seen.get(same)
  if (same !== undefined && found !== undefined) {
    loading.entries = loading.entries.filter((entry) => entry !== found)
    loading.seen.delete(same)
    return undefined
  }
  // An earlier unclear line may have been that rule.
  if (loading.goesOn || loading.entries.some(({ kind }) => kind === 'unclear')) return undefined
  return resolved.kind === 'refused' ? resolved.message : 'the rule to delete does not exist'
}

function takeRule(parsed: AuditRule, placed: PlacedText, loading: Loading): string | undefined {
  const resolved = loading.resolve(parsed)
  const shown = shownOf(parsed, placed)
  if (resolved.kind === 'unclear') {
    loading.unclear = { ...resolved, ...shown }
    loading.entries.push(loading.unclear)
    return undefined
  }
  if (resolved.kind === 'refused') return loading.goesOn ? undefined : resolved.message
  const same = asKernelCompares(resolved.rule, placed.text)
  if (loading.seen.has(same)) return loading.goesOn ? undefined : 'the rule already exists'
  const entry: LayerEntry = { kind: 'rule', rule: resolved.rule, ...shown }
  loading.seen.set(same, entry)
  if (resolved.rule.first) loading.entries.unshift(...stopOf(loading), entry)
  else loading.entries.push(entry)
  return undefined
}

/** The kernel compares the fields in their order. @see audit_compare_rule in auditfilter.c */
function asKernelCompares(rule: AuditRule, text: string): string {
  const options = text.matchAll(/(?:^| )-(?:[FC] *(\w+)|[wW])/g)
  const order = [...options].map(([, name = 'place perm']) => (name === 'path' || name === 'dir' ? 'place' : name))
  const action = /\b(?:always|never)\b/.exec(text)?.[0] ?? 'always'
  return `${action} ${printLine({ ...rule, first: false })} ${order.filter((name) => name !== 'key').join(' ')}`
}
