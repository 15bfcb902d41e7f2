import type { Assignment } from '../../../settings/assignment.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { defined } from '../../../model/defined.ts'
import { didYouMean } from '../../../model/suggest.ts'
import { anyExists, isInProgram } from '../../../settings/reading.ts'
import type { ConfigFiles, Effective, KeyRules, Surface } from '../../../settings/surface.ts'
import { refusalOf, toAssignment } from '../assignments.ts'
import { buildOf, hasKeyword, unsetValue } from '../build.ts'
import { filesOf, isForAll, type MatchBlock, type Statement } from '../config.ts'
import { sshFormat } from '../format.ts'
import { type Criterion, isInPatternList } from '../match.ts'
import { orderOf } from '../orders.ts'
import { type Destination, writingFor } from '../writes.ts'
import { MAIN, readClientConfig } from './config.ts'
import { CLIENT_KEYWORDS, clientKeywordNamed, findClientKeyword, isValidLine } from './keywords.ts'
import { askClient } from './witness.ts'

const PROGRAM = '/usr/bin/ssh'

const DESTINATION: Destination = {
  main: MAIN,
  directory: 'ssh_config.d',
  format: sshFormat('ssh', (written) => findClientKeyword(clientKeywordNamed(written))?.name ?? written),
  mode: 0o644,
  check: `${PROGRAM} -G -F "$1" host.invalid >/dev/null`,
}

export const sshClient: Surface = {
  name: 'ssh_client',
  summary:
    '`/etc/ssh/ssh_config` with its includes in order; not the files of users. The first value wins, a value in a `Match final` block the last. Each `Host` and `Match` block with a different value is separate drift, unless a line for all hosts precedes it. An unset keyword has the default of the installed version. A fix writes `/etc/ssh/ssh_config.d/00-driftgate.conf` if the main file begins by including that directory, otherwise it edits the top of the main file.',
  installed: (files) => anyExists(files, [PROGRAM]),
  keyOf(text) {
    const keyword = findClientKeyword(clientKeywordNamed(text))
    if (keyword !== undefined) return { section: '', key: keyword.name }
    return { problem: `is not a supported keyword${didYouMean(text, CLIENT_KEYWORDS)}` }
  },
  rulesOf: ({ key }, files) => rulesOf(key, files),
  read,
  resolve,
  writes: (files) => writingFor(files, DESTINATION),
  witness: (files, { key }) => askClient(files, key),
  activation: { kind: 'none' },
}

/** The configuration files with all included files, and the directories of the included ones. */
export function readClientFiles(files: ConfigFiles): Reading<readonly string[]> {
  return filesOf(readClientConfig(files))
}

function rulesOf(key: string, files: ConfigFiles | undefined): KeyRules {
  const keyword = findClientKeyword(key.toLowerCase()) ?? { name: key, kind: 'text' }
  const build = files === undefined ? undefined : buildOf(files, PROGRAM)
  const builtIn = build?.kind === 'known' ? unsetValue(build.value, keyword) : undefined
  return { order: orderOf(keyword), wins: 'first', ...defined({ default: builtIn }) }
}

/** The lines that count first, then those of `Match final` and `Match canonical`, which ssh reads again at the end. */
function read(files: ConfigFiles): Reading<readonly Assignment[]> {
  const build = buildOf(files, PROGRAM)
  if (build.kind === 'unknown') return build
  const config = readClientConfig(files)
  if (config.kind === 'unknown') return config
  const statements = config.value?.statements ?? []
  const invalid = statements.find(({ keyword, words }) => !isValidLine(keyword, words))
  if (invalid !== undefined)
    return unknown(
      'invalid',
      `${invalid.file}:${invalid.line}: ${invalid.keyword} ${invalid.text} is not a valid value, so ssh does not connect`,
    )
  const refusal = refusalOf(withoutIgnored(statements), {
    consequence: 'ssh does not connect',
    build: build.value,
    find: findClientKeyword,
    isKeyword: (name) => build.value.version === undefined || hasKeyword(files, PROGRAM, name),
    isAlgorithm: (name) => isInProgram(files, PROGRAM, name),
  })
  if (refusal !== undefined) return refusal
  const isLate = ({ blocks }: Statement): boolean => blocks.some(({ criteria }) => criteria.some(isFinal))
  const ordered = [...statements.filter((each) => !isLate(each)), ...statements.filter(isLate)]
  return known(
    ordered.flatMap((statement) => {
      const keyword = findClientKeyword(statement.keyword)
      if (keyword === undefined) return []
      return [toAssignment(statement, keyword, { build: build.value, scope: scopeOf(statement.blocks) })]
    }),
  )
}

function isFinal({ name }: Criterion): boolean {
  return /^!?(?:final|canonical)$/.test(name)
}

/** The lines without those that ssh ignores by the first `IgnoreUnknown`; it rejects others even in blocks for other hosts. */
function withoutIgnored(statements: readonly Statement[]): readonly Statement[] {
  const at = statements.findIndex(({ keyword, blocks }) => keyword === 'ignoreunknown' && scopeOf(blocks) === undefined)
  const ignored = statements[at]?.words.join(' ')
  if (ignored === undefined) return statements
  const isKept = ({ keyword }: Statement): boolean =>
    findClientKeyword(keyword) !== undefined || !isInPatternList(keyword, ignored)
  return [...statements.slice(0, at), ...statements.slice(at).filter(isKept)]
}

/** The blocks that are not for all hosts, the innermost first; undefined without one. */
function scopeOf(blocks: readonly MatchBlock[]): string | undefined {
  const some = blocks.filter((block) => !isForAll({ ...block, criteria: block.criteria.filter(isNotFinal) }))
  if (some.length === 0) return undefined
  const heads = some.toReversed().map(({ criteria, text }) => `${headOf(criteria)} ${text}`)
  return heads.join(' within ')
}

function isNotFinal({ name }: Criterion): boolean {
  return name !== 'final'
}

function headOf(criteria: readonly Criterion[]): string {
  return criteria.some(({ name }) => name === 'patterns') ? 'Host' : 'Match'
}

/** The first line for all hosts counts, and before it the first line of each block. */
function resolve(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const found = assignments.findIndex(({ scope }) => scope === undefined)
  const end = found === -1 ? assignments.length : found
  const scopes = new Map<string, Assignment[]>()
  for (const each of assignments.slice(0, end)) {
    const scope = each.scope ?? ''
    scopes.set(scope, [...(scopes.get(scope) ?? []), each])
  }
  const within = [...scopes].map(([scope, own]) => ({ scope, winners: own.slice(0, 1), losers: own.slice(1) }))
  return [{ winners: assignments.slice(end, end + 1), losers: assignments.slice(end + 1) }, ...within]
}
