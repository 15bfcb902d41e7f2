import type { AuditField } from './fields.ts'
import type { AuditLayer, LayerEntry } from './layers.ts'
import { type AuditRule, meaningOf } from './rule.ts'

type RuleEntry = Extract<LayerEntry, { kind: 'rule' }>

/**
 * The kernel's rules by their listing, which is ambiguous in two ways: it shows `-w` also for a rule that never records and for a
 * rule about the path of a directory itself, and `exe=` also for `exe!=`. Each such rule is replaced by the one in the files that
 * it can be. @see print_rule in auditctl-listing.c
 */
export function withTrueRules(listed: AuditLayer, files: readonly AuditLayer[]): AuditLayer {
  const stored = files.flatMap(({ entries }) => entries).filter((entry) => entry.kind === 'rule')
  const entries = listed.entries.map((entry): LayerEntry => {
    if (entry.kind !== 'rule') return entry
    return entry.text.startsWith('-w ') ? trueWatch(entry, stored) : withTrueProgram(entry, stored)
  })
  return { entries, settings: listed.settings }
}

function trueWatch(entry: RuleEntry, stored: readonly RuleEntry[]): RuleEntry {
  const same = stored.filter(({ rule }) => watchOf(rule) === watchOf(entry.rule))
  const worse =
    same.find(({ rule }) => rule.action === 'never') ??
    same.find(({ rule }) => rule.place?.kind !== entry.rule.place?.kind)
  return worse === undefined ? entry : { ...worse, rule: { ...worse.rule, keys: entry.rule.keys } }
}

function watchOf({ place, permissions, fields }: AuditRule): string {
  return `${place?.path} ${permissions?.join('')} ${fields.length}`
}

/** The rule with the operator that all files agree on; without such a file nothing is concluded from the program. */
function withTrueProgram(entry: RuleEntry, stored: readonly RuleEntry[]): RuleEntry {
  if (!entry.rule.fields.some((field) => isOfProgram(field) && field.operator === '=')) return entry
  const same = stored.filter(({ rule }) => listedMeaning(rule) === listedMeaning(entry.rule))
  const [found] = same
  if (found !== undefined && same.every(({ rule }) => meaningOf(rule) === meaningOf(found.rule)))
    return { ...found, rule: { ...found.rule, keys: entry.rule.keys } }
  return { ...entry, rule: asListed(entry.rule) }
}

function listedMeaning(rule: AuditRule): string {
  return meaningOf(asListed(rule))
}

function asListed(rule: AuditRule): AuditRule {
  const fields = rule.fields.map((field): AuditField =>
    isOfProgram(field) ? { ...field, kind: 'listed', operator: '=' } : field,
  )
  return { ...rule, fields }
}

function isOfProgram(field: AuditField): field is Extract<AuditField, { kind: 'text' }> {
  return field.kind === 'text' && field.name === 'exe'
}
