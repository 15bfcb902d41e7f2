import { defined } from '../../model/defined.ts'
import { formatDrifts } from '../../model/format-value.ts'
import { hostNameOf } from '../../model/host-name.ts'
import type { ResourceResult, Run } from '../../model/run.ts'
import { isFailure } from '../../model/verdict.ts'
import { originOf } from './origin.ts'
import { scoreOf } from './score.ts'
import {
  isDrift,
  isOpen,
  type Requirement,
  requirementsOf,
  type Standing,
  STANDINGS,
  worstRequirementsFirst,
} from './requirements.ts'

/** The sign of each standing in a cell. A host without the requirement has an empty cell. */
export const SIGNS: Readonly<Record<Standing, string>> = {
  drifted: 'x',
  undecided: '?',
  known: 'k',
  manual: 'm',
  waived: 'w',
  met: '.',
  'not-applicable': '-',
}

/** The meaning of the signs, for a legend. */
const SIGN_WORDS: Readonly<Record<Standing, string>> = {
  drifted: 'drifted',
  undecided: 'undecided',
  known: 'known since the baseline',
  manual: 'manual',
  waived: 'waived',
  met: 'met',
  'not-applicable': 'not applicable',
}

export interface MatrixCell {
  readonly requirement: Requirement
  /** The findings, one line for each failing resource. Not escaped. */
  readonly found: readonly string[]
  /** Whether the host differs from the majority of hosts to which the requirement applies. */
  readonly differs: boolean
}

export interface MatrixRow {
  /** The requirement of the host with the worst standing. */
  readonly worst: Requirement
  /** One cell per host; undefined if its scan does not have the requirement. */
  readonly cells: readonly (MatrixCell | undefined)[]
}

/** Several hosts side by side. */
export interface Matrix {
  /** Without duplicates, in the order of the report. */
  readonly hosts: readonly string[]
  /** Requirements that drifted or are undecided on at least one host, worst first. */
  readonly failing: readonly MatrixRow[]
  /** The other requirements, worst first. */
  readonly others: readonly MatrixRow[]
}

export interface SharedFinding extends MatrixCell {
  readonly hosts: readonly [string, ...string[]]
}

export function signLegend(cells: readonly (MatrixCell | undefined)[]): string {
  const shown = new Set(cells.map((cell) => cell?.requirement.standing))
  const words = STANDINGS.filter((standing) => shown.has(standing)).map((each) => `${SIGNS[each]} ${SIGN_WORDS[each]}`)
  return [
    ...words,
    ...(cells.some((cell) => cell?.differs === true) ? ['* differs from most hosts'] : []),
    ...(shown.has(undefined) ? ['blank: not evaluated'] : []),
  ].join(', ')
}

/** The names of the hosts of a run, without duplicates, in the order of the report. */
export function hostsOf(run: Run): readonly string[] {
  return [...new Set(run.policies.map((policy) => hostNameOf(originOf(run, policy).target)))]
}

/** The matrix of a merged report; undefined for a single host. */
export function matrixOf(run: Run, requirements: readonly Requirement[] = requirementsOf(run)): Matrix | undefined {
  const hosts = hostsOf(run)
  if (hosts.length < 2) return undefined
  const columns = new Map(hosts.map((host, index) => [host, index]))
  const rows = new Map<string, Map<number, Requirement>>()
  for (const requirement of requirements) {
    const key = keyOf(requirement)
    const row = rows.get(key) ?? new Map<number, Requirement>()
    rows.set(key, row)
    const column = columns.get(hostNameOf(requirement.origin.target)) ?? 0
    const before = row.get(column)
    // For a host with several scans, the worst standing is used.
    row.set(column, before === undefined ? requirement : worstOf([before, requirement]))
  }
  const all = worstRowsFirst([...rows.values()].map((row) => toRow(row, hosts.length)))
  return { hosts, failing: all.filter(isFailing), others: all.filter((row) => !isFailing(row)) }
}

export function rowsOf({ failing, others }: Matrix): readonly MatrixRow[] {
  return [...failing, ...others]
}

/** The findings of a row, equal ones of several hosts merged, most frequent first. */
export function findingsOfRow({ cells }: MatrixRow, hosts: readonly string[]): readonly SharedFinding[] {
  const groups = new Map<string, { cell: MatrixCell; hosts: [string, ...string[]] }>()
  for (const [index, cell] of cells.entries()) {
    const host = hosts[index]
    if (cell === undefined || host === undefined || !isWrong(cell.requirement)) continue
    const key = signatureOf(cell)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { cell, hosts: [host] })
    else group.hosts.push(host)
  }
  return [...groups.values()]
    .map(({ cell, hosts: own }) => ({ ...cell, hosts: own }))
    .toSorted((left, right) => right.hosts.length - left.hosts.length)
}

/** The hosts on which a requirement fails; `worst` identifies the row. */
export function hostsWhereWrong(worst: Requirement, { hosts, failing }: Matrix): readonly string[] {
  const row = failing.find((each) => each.worst === worst)
  return hosts.filter((_host, index) => {
    const cell = row?.cells[index]
    return cell !== undefined && isWrong(cell.requirement)
  })
}

/** Number of requirements of a host by standing. */
export interface HostCounts {
  readonly asked: number
  /** Drifted (known or not) or undecided. */
  readonly failing: number
  readonly met: number
  /** Number of failing rows in which it differs from the majority. */
  readonly differing: number
  /** Out of 100; undefined if nothing counts. */
  readonly score?: number
}

export function hostAt(matrix: Matrix, column: number): HostCounts {
  const cells = rowsOf(matrix).flatMap(({ cells: own }) => own[column] ?? [])
  const requirements = cells.map(({ requirement }) => requirement)
  return {
    asked: cells.length,
    failing: requirements.filter(isWrong).length,
    met: requirements.filter(({ standing }) => standing === 'met' || standing === 'waived').length,
    differing: matrix.failing.filter(({ cells: own }) => own[column]?.differs === true).length,
    ...defined({ score: scoreOf(requirements) }),
  }
}

/** The counts as text: `score 53 of 100, 93 of 180 failing, differs in 6`; a fixed text for a host without any decision. */
export function describeHost({ asked, failing, met, differing, score }: HostCounts): string {
  if (failing + met === 0) return 'nothing was evaluated'
  const different = differing === 0 ? '' : `, differs in ${differing}`
  const scored = score === undefined ? '' : `score ${score} of 100, `
  return `${scored}${failing === 0 ? 'none' : failing} of ${asked} failing${different}`
}

function keyOf({ policy, control, path = [], id }: Requirement): string {
  return JSON.stringify([policy.id, control !== undefined, ...path, id])
}

function worstOf(requirements: readonly [Requirement, ...Requirement[]]): Requirement {
  return worstRequirementsFirst(requirements)[0] ?? requirements[0]
}

function toRow(row: ReadonlyMap<number, Requirement>, hosts: number): MatrixRow {
  const [first, ...others] = row.values()
  if (first === undefined) throw new Error('a row of the matrix has no requirement')
  const seen = new Map([...row].map(([host, requirement]) => [host, { requirement, found: foundOf(requirement) }]))
  const differing = whoDiffers(seen)
  return {
    worst: worstOf([first, ...others]),
    cells: Array.from({ length: hosts }, (_, host) => {
      const cell = seen.get(host)
      return cell && { ...cell, differs: differing.has(host) }
    }),
  }
}

/** Sorts rows worst first, then by number of failing hosts. */
function worstRowsFirst(rows: readonly MatrixRow[]): readonly MatrixRow[] {
  const byRequirement = new Map(rows.map((row) => [row.worst, row]))
  const wrong = (row: MatrixRow): number => row.cells.filter((cell) => cell && isWrong(cell.requirement)).length
  const byHosts = rows.toSorted((left, right) => wrong(right) - wrong(left)).map(({ worst }) => worst)
  return worstRequirementsFirst(byHosts).flatMap((worst) => byRequirement.get(worst) ?? [])
}

function isFailing({ cells }: MatrixRow): boolean {
  return cells.some((cell) => cell && isWrong(cell.requirement))
}

function isWrong(requirement: Requirement): boolean {
  return isOpen(requirement) || isDrift(requirement)
}

function foundOf({ results }: Requirement): readonly string[] {
  return results.filter(({ verdict }) => isFailure(verdict)).map(describe)
}

function describe({ id, verdict, drift, remaining, message }: ResourceResult): string {
  const shown = verdict === 'fix-failed' ? (remaining ?? drift) : verdict === 'drifted' ? drift : []
  return `${id}: ${shown.length > 0 ? formatDrifts(shown) : (message ?? verdict)}`
}

type Seen = Omit<MatrixCell, 'differs'>

/** The hosts that differ from the majority, by values or otherwise by standing. Without a majority, no host differs. */
function whoDiffers(seen: ReadonlyMap<number, Seen>): ReadonlySet<number> {
  const asked = [...seen].filter(([, { requirement }]) => requirement.standing !== 'not-applicable')
  const byValue = findDissenters(asked.map(([host, cell]) => [host, signatureOf(cell)]))
  return new Set(byValue ?? findDissenters(asked.map(([host, { requirement }]) => [host, requirement.standing])))
}

function signatureOf({ requirement, found }: Seen): string {
  return JSON.stringify([requirement.standing, found])
}

/** The voters who differ from the absolute majority; undefined without a majority. */
export function findDissenters<Who>(votes: readonly (readonly [who: Who, what: string])[]): readonly Who[] | undefined {
  const counts = new Map<string, number>()
  for (const [, what] of votes) counts.set(what, (counts.get(what) ?? 0) + 1)
  const winner = [...counts].find(([, count]) => count * 2 > votes.length)
  return winner && votes.filter(([, what]) => what !== winner[0]).map(([who]) => who)
}
