import { hasLostBytes } from '../../model/file-name.ts'
import { type ParsedLine, parseLine } from './rules/parse.ts'
import { areImpossible } from './rules/ranges.ts'
import type { AuditLine } from './rules/rule.ts'

/** The desired state of a resource of audit rules. */
export interface AuditRuleDesired {
  readonly name: string
  readonly rules?: readonly string[] | undefined
  readonly set_id_below?: string | undefined
  readonly compare_key: boolean
  readonly if_absent: 'drift' | 'compliant'
}

type Written = Pick<AuditRuleDesired, 'name' | 'rules' | 'set_id_below'>

/** The placeholder path for a set-id program. */
const EACH_PROGRAM = '/PROGRAM'

/** The rules of a resource as written; without `rules`, its name is the rule. */
export function writtenRules({ name, rules }: Pick<Written, 'name' | 'rules'>): readonly string[] {
  return rules ?? [name]
}

/** Parses the rules, with one copy for each program. Skips invalid rules, which `problemOf` reports. */
export function wantedLines(wanted: Written, programs: readonly string[] = []): readonly AuditLine[] {
  const lines = writtenRules(wanted)
    .map((text) => parseWritten(text, wanted))
    .filter(isLine)
  if (wanted.set_id_below === undefined) return lines
  const rules = lines.filter((line) => line.kind === 'rule')
  return programs.flatMap((path) => rules.map((rule): AuditLine => ({ ...rule, place: { kind: 'path', path } })))
}

function parseWritten(text: string, { set_id_below: directory }: Pick<Written, 'set_id_below'>): ParsedLine {
  return parseLine(directory === undefined ? text : text.replace(/(?<=\bpath=)PROGRAM\b/, EACH_PROGRAM))
}

function isLine(line: ParsedLine): line is AuditLine {
  return line.kind === 'rule' || line.kind === 'setting'
}

/** Whether a rules file can contain the path of the rule. */
export function isWritable(line: AuditLine): boolean {
  const path = line.kind === 'rule' ? (line.place?.path ?? '') : ''
  return !/[\p{Cc}\\'"]/u.test(path) && !hasLostBytes(path)
}

/** The problem with a rule of a policy, as a sentence. */
export function problemOf(text: string, wanted: Pick<Written, 'set_id_below'>): string | undefined {
  const line = parseWritten(text, wanted)
  const isAboutEach = line.kind === 'rule' && line.place?.path === EACH_PROGRAM
  if (wanted.set_id_below !== undefined && line.kind !== 'problem' && !isAboutEach) {
    return `"${text}" has no "-F path=PROGRAM", the placeholder for each program below ${wanted.set_id_below}`
  }
  switch (line.kind) {
    case 'problem':
      return `"${text}" is not an audit rule: ${line.message}`
    case 'nothing':
      return `"${text}" is not an audit rule: it is empty`
    case 'removal':
      return `"${text}" is not an audit rule: it deletes one`
    case 'setting':
      return undefined
    case 'rule':
      if (areImpossible(line.fields))
        return `no event can match all fields of "${text}": write a rule for each alternative`
      // Without an architecture, numbers would mean other system calls for programs of the other architecture.
      return line.syscalls === 'all' || line.arch !== undefined
        ? undefined
        : `"${text}" names system calls but no architecture: put -F arch=b64 or -F arch=b32 before them, or write a rule for each`
  }
}
