import { defined } from '../../model/defined.ts'
import { type Reading, unknown } from '../../model/observation.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { MatchBlock, Statement } from './config.ts'
import { findKeyword, type Keyword } from './keywords.ts'
import { type SshdBuild, valueOf } from './value.ts'

/** Separator between the conditions of nested Match blocks. */
const WITHIN = ' within '

/** Name of the scope of a line in these blocks: `Match User bob`, the innermost block first. Undefined for all users. */
export function scopeOf(blocks: readonly MatchBlock[]): string | undefined {
  return blocks.length === 0
    ? undefined
    : blocks
        .toReversed()
        .map(({ text }) => `Match ${text}`)
        .join(WITHIN)
}

/** The conditions in a scope name, as written in their lines. */
export function conditionsOf(scope: string): readonly string[] {
  return scope.split(`${WITHIN}Match `).map((each) => each.replace(/^Match /, ''))
}

/** Converts lines to assignments with canonical values and resolved lists of algorithms. */
export function toAssignments(statements: readonly Statement[], build: SshdBuild): readonly Assignment[] {
  const lines = statements.flatMap((statement): Line[] => {
    const keyword = findKeyword(statement.keyword)
    return keyword === undefined
      ? []
      : [
          {
            statement,
            keyword,
            assignment: toAssignment(statement, keyword, { build, scope: scopeOf(statement.blocks) }),
          },
        ]
  })
  return lines.flatMap((line) => {
    const { keyword, assignment } = line
    if (keyword.lastUpTo === undefined) return [assignment]
    const rivals = lines.filter((each) => each.keyword === keyword && each.assignment.scope === assignment.scope)
    if (rivals.every((each) => each.assignment.value === assignment.value)) return [assignment]
    // An incomplete value takes the missing parts from an earlier line.
    const isWhole = keyword.kind !== 'triple' || rivals.every(({ statement }) => statement.text.includes(':'))
    if (isWhole && build.version !== undefined && !isAfter(build.version, keyword.lastUpTo)) {
      return rivals.at(-1) === line ? [assignment] : []
    }
    return [{ ...assignment, unclear: 'the effective line of several depends on the sshd version' }]
  })
}

/** A program of OpenSSH as it is installed. */
interface Program {
  /** What follows if it rejects a line. */
  readonly consequence: string
  readonly build: SshdBuild
  readonly find: (keyword: string) => Keyword | undefined
  /** Whether it has a keyword that is not found. */
  readonly isKeyword: (name: string) => boolean
  readonly isAlgorithm: (name: string) => boolean
}

/** Algorithms of older and newer versions: a file that names one is for another version, which the program itself reports. */
const OF_OTHER_VERSIONS = new Set([
  'arcfour',
  'arcfour128',
  'arcfour256',
  'blowfish-cbc',
  'cast128-cbc',
  'hmac-ripemd160',
  'hmac-ripemd160@openssh.com',
  'hmac-ripemd160-etm@openssh.com',
  'mlkem768x25519-sha256',
  'rijndael-cbc@lysator.liu.se',
  'sntrup4591761x25519-sha512@tinyssh.org',
  'sntrup761x25519-sha512',
  'sntrup761x25519-sha512@openssh.com',
  'ssh-dss',
  'ssh-dss-cert-v01@openssh.com',
])

/** Why the program rejects one of the statements; undefined if it is not known to reject any. */
export function refusalOf(
  statements: readonly Statement[],
  { consequence, build, find, isKeyword, isAlgorithm }: Program,
): Reading<never> | undefined {
  // A stand-in for the program has no algorithms at all.
  const hasAlgorithms = Object.keys(build.algorithms).length > 0
  for (const { keyword: written, words, text, file, line } of statements) {
    const keyword = find(written)
    const value = keyword && valueOf({ ...keyword, key: written }, words, { text, build })
    const isRefused = value === undefined ? !isKeyword(written) : value.kind === 'unknown' && value.reason === 'invalid'
    const names =
      hasAlgorithms && keyword?.kind === 'algorithms' && value?.kind === 'known' ? value.value.split(',') : []
    const builtIn = build.algorithms[written]?.split(',') ?? []
    const isSupported = (name: string): boolean => keyword?.names?.test(name) !== false && isAlgorithm(name)
    const strange = names.find((name) => !builtIn.includes(name) && !OF_OTHER_VERSIONS.has(name) && !isSupported(name))
    if (!isRefused && strange === undefined) continue
    const why =
      value?.kind === 'unknown' ? value.detail : `this version does not support ${strange ?? `the keyword ${written}`}`
    return unknown('invalid', `${file}:${line}: ${why}, so ${consequence}`)
  }
  return undefined
}

interface Line {
  readonly statement: Statement
  readonly keyword: Keyword
  readonly assignment: Assignment
}

/** The assignment of a line, with a canonical value; `scope` is that of its blocks. */
export function toAssignment(
  { keyword: key, file, line, words, text }: Statement,
  keyword: Keyword,
  { build, scope }: { readonly build: SshdBuild; readonly scope: string | undefined },
): Assignment {
  const value = valueOf({ ...keyword, key }, words, { text, build })
  return {
    section: '',
    key: keyword.name,
    value: value.kind === 'known' ? value.value : text,
    file,
    line,
    ...defined({ scope, unclear: value.kind === 'known' ? undefined : value.detail }),
  }
}

export function isAfter(left: readonly [number, number], right: readonly [number, number]): boolean {
  return left[0] > right[0] || (left[0] === right[0] && left[1] > right[1])
}
