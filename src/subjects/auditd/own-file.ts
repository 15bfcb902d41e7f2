import { createHash } from 'node:crypto'
import { compileRules, type LeadingSpace, type RulesFile } from './rules/augenrules.ts'
import { compareVersionNames } from './rules/file-order.ts'
import { type AuditLayer, loadLines } from './rules/layers.ts'
import { type AuditLine, printLine } from './rules/rule.ts'
import type { AuditState } from './auditd.ts'

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
export function ownText(lines: readonly AuditLine[], { resolve, syscalls }: AuditState): string {
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

export function withoutFile(files: readonly RulesFile[], path: string): readonly RulesFile[] {
  return files.filter((file) => file.path !== path)
}

/** Inserts the file in load order. */
export function withFile(files: readonly RulesFile[], file: RulesFile): readonly RulesFile[] {
  const nameOf = ({ path }: RulesFile): string => path.slice(path.lastIndexOf('/') + 1)
  return [...withoutFile(files, file.path), file].toSorted((left, right) =>
    compareVersionNames(nameOf(left), nameOf(right)),
  )
}

/** The layer that the next boot loads from these files. */
export function layerOf(
  files: readonly RulesFile[],
  leading: LeadingSpace,
  { resolve, syscalls }: AuditState,
): AuditLayer {
  return loadLines(compileRules(files, leading), resolve, syscalls)
}
