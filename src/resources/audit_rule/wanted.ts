import { type ParsedLine, parseLine } from '../../target/audit-rules/parse.ts'
import { areImpossible } from '../../target/audit-rules/ranges.ts'
import type { AuditLine } from '../../target/audit-rules/rule.ts'

/** What a policy says: the properties that are observed, decided and applied. */
export interface AuditRuleWanted {
  readonly name: string
  readonly rules?: readonly string[] | undefined
  readonly compare_key: boolean
}

/** The rules of a resource as they are written: its name is one where it gives none. */
export function writtenRules({ name, rules }: Pick<AuditRuleWanted, 'name' | 'rules'>): readonly string[] {
  return rules ?? [name]
}

/** The same by their meaning; what is wrong with them is found out before. */
export function wantedLines(wanted: Pick<AuditRuleWanted, 'name' | 'rules'>): readonly AuditLine[] {
  return writtenRules(wanted).map(parseLine).filter(isLine)
}

function isLine(line: ParsedLine): line is AuditLine {
  return line.kind === 'rule' || line.kind === 'setting'
}

/** What is wrong with a rule of a policy, as a sentence. */
export function problemOf(text: string): string | undefined {
  const line = parseLine(text)
  switch (line.kind) {
    case 'problem':
      return `"${text}" is not an audit rule: ${line.message}`
    case 'nothing':
      return `"${text}" is not an audit rule: it says nothing`
    case 'setting':
      return undefined
    case 'rule':
      if (areImpossible(line.fields)) return `no event can meet all fields of "${text}"; give each alternative a rule`
      // Without one they are numbers, which are other system calls for programs of the other architecture.
      return line.syscalls === 'all' || line.arch !== undefined
        ? undefined
        : `"${text}" names system calls and no architecture; say -F arch=b64 or -F arch=b32 before them, or both in two rules`
  }
}
