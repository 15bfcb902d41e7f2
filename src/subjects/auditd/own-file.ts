import { createHash } from 'node:crypto'
import { compileRules, type LeadingSpace, type RulesFile } from './rules/augenrules.ts'
import { compareVersionNames } from './rules/file-order.ts'
import { type AuditLayer, loadLines } from './rules/layers.ts'
import { type AuditLine, printLine } from './rules/rule.ts'
import type { AuditState } from './auditd.ts'

const DIRECTORY = '/etc/audit/rules.d/'
/** The empty line ends the last one of a file before it that does not end it: augenrules joins them. */
const HEAD = '\n# Written by driftgate. A fix writes it again.\n'

/** The file of rules.d for a resource: rules before those that are usually last, settings behind them, because the last one counts. */
export function ownFile(name: string, lines: readonly AuditLine[]): string {
  const words = name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${DIRECTORY}${lines.every(({ kind }) => kind === 'rule') ? '60' : '99'}-driftgate-${words.slice(0, 60)}-${digest}.rules`
}

/** What such a file holds. */
export function ownText(lines: readonly AuditLine[], { resolve, syscalls }: AuditState): string {
  const written = lines.map((line): AuditLine => {
    if (line.kind === 'setting') return line
    const resolved = resolve(line)
    const { arch } = line
    // auditctl refuses names that its table does not have.
    const calls =
      line.syscalls === 'all' || arch === undefined
        ? line.syscalls
        : line.syscalls.filter((call) => !syscalls.isForeign(arch, call))
    return { ...line, syscalls: calls, fields: resolved.kind === 'rule' ? resolved.rule.fields : line.fields }
  })
  return `${HEAD}${written.map((line) => `${printLine(line)}\n`).join('')}`
}

/** The files without that one. */
export function withoutFile(files: readonly RulesFile[], path: string): readonly RulesFile[] {
  return files.filter((file) => file.path !== path)
}

/** The files with that one at its place. */
export function withFile(files: readonly RulesFile[], file: RulesFile): readonly RulesFile[] {
  const nameOf = ({ path }: RulesFile): string => path.slice(path.lastIndexOf('/') + 1)
  return [...withoutFile(files, file.path), file].toSorted((left, right) =>
    compareVersionNames(nameOf(left), nameOf(right)),
  )
}

/** What the next start would load of these files. */
export function layerOf(files: readonly RulesFile[], leading: LeadingSpace, { resolve }: AuditState): AuditLayer {
  return loadLines(compileRules(files, leading), resolve)
}
