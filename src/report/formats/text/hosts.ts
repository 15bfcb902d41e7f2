import { columnsOf, padColumns, widestOf, wrapLine } from '../../../model/columns.ts'
import { countOf } from '../../../model/count-of.ts'
import { SEVERITY_TONES, type Tone } from '../../format.ts'
import { clip } from '../../words/clip.ts'
import {
  describeHost,
  findingsOfRow,
  hostAt,
  type Matrix,
  type MatrixCell,
  type MatrixRow,
  type SharedFinding,
  signLegend,
  SIGNS,
} from '../../words/matrix.ts'
import { namesOf } from '../../words/host-names.ts'
import type { Standing } from '../../words/requirements.ts'
import { type Page, takeWithin } from './page.ts'

/** The width without a terminal, and the maximum for a readable table. */
const WIDTH = 80
const WIDEST = 120

/** Minimum width of requirement names beside the cells. */
const LEAST_LABEL = 30
const MARGIN = 4
const CELL = 2

/** The number of letters, which name the hosts. */
const MOST_COLUMNS = 26

/** Maximum number of findings per requirement, most frequent first; `--verbose` shows every host. */
const FINDINGS_SHOWN = 3

const RESOURCES_SHOWN = 3

/** Maximum length of matrix and findings unless verbose, and minimum length of the findings. */
const MOST_LINES = 220
const LEAST_FOUND = 60

const FOUND_CHARACTERS = 200

const TONES: Readonly<Record<Standing, Tone>> = {
  drifted: 'bad',
  undecided: 'warn',
  known: 'dim',
  manual: 'warn',
  waived: 'warn',
  met: 'good',
  'not-applicable': 'dim',
}

/**
 * A matrix of requirements and hosts: a letter for each host, a line for each failing requirement, worst first, then
 * the findings. Many hosts are split into several tables, each as wide as the screen.
 */
export function matrixLines(matrix: Matrix, page: Page): readonly string[] {
  const width = Math.min(page.width ?? WIDTH, WIDEST)
  const columns = Math.min(MOST_COLUMNS, Math.max(1, Math.floor((width - MARGIN - LEAST_LABEL) / CELL)))
  const { hosts, others } = matrix
  const starts = Array.from({ length: Math.ceil(hosts.length / columns) }, (_, index) => index * columns)
  const tables = starts.flatMap((start) => tableLines({ matrix, start, end: start + columns, width }, page))
  const met =
    others.length === 0
      ? []
      : wrapLine(`  ${others.length} more ${others.length === 1 ? 'fails' : 'fail'} nowhere`, width, 2)
  return [
    page.paint('strong', `${hosts.length} hosts`),
    ...tables,
    ...met,
    ...foundLines(matrix, tables.length, { ...page, width }),
  ]
}

/** The findings, worst first, within a readable length; all with `--verbose`. */
function foundLines(matrix: Matrix, before: number, page: Page): readonly string[] {
  const blocks = matrix.failing.map((row) => findingLines(row, matrix, page))
  if (blocks.length === 0) return []
  const room = page.verbose ? Infinity : Math.max(LEAST_FOUND, MOST_LINES - before)
  const { taken } = takeWithin(blocks, ({ length }) => length, room)
  const left = blocks.length - taken.size
  return [
    '',
    page.paint('strong', 'found'),
    ...[...taken].flat(),
    ...(left === 0 ? [] : wrapLine(`  ${page.paint('dim', `${left} more, listed with --verbose`)}`, page.width, 4)),
  ]
}

interface Table {
  readonly matrix: Matrix
  readonly start: number
  readonly end: number
  readonly width: number
}

/** A table of the hosts from `start` on, each with its letter and column. */
function tableLines({ matrix, start, end, width }: Table, page: Page): readonly string[] {
  const hosts = matrix.hosts.slice(start, end)
  const rows = matrix.failing.filter(({ cells }) => cells.slice(start, end).some(isTrouble))
  const widest = widestOf(rows.map(({ worst }) => titleOf(worst, page))) + 2
  const label = Math.min(width - MARGIN - CELL * hosts.length, widest)
  const legend = hosts.flatMap((host, index) => hostLines(host, { matrix, column: start + index, width }, page))
  if (rows.length === 0) return [...legend, '']
  const letters = hosts.map((_host, index) => letterOf(index)).join(' ')
  return [
    ...legend,
    '',
    ...wrapLine(page.paint('dim', `  ${signLegend(rows.flatMap(({ cells }) => cells))}`), width, 2),
    `${' '.repeat(MARGIN + label)}${page.paint('strong', letters)}`,
    ...rows.flatMap((row, index) => [
      ...severityLine(row, rows[index - 1], page),
      ...rowLines(row, { start, end, label }, page),
    ]),
    '',
  ]
}

function hostLines(
  host: string,
  { matrix, column, width }: { readonly matrix: Matrix; readonly column: number; readonly width: number },
  { escape, paint }: Page,
): readonly string[] {
  const about = describeHost(hostAt(matrix, column))
  const letter = letterOf(column % MOST_COLUMNS)
  return wrapLine(`  ${paint('strong', letter)} ${escape(host)}  ${paint('dim', about)}`, width, 4)
}

function severityLine({ worst }: MatrixRow, before: MatrixRow | undefined, { paint }: Page): readonly string[] {
  if (before?.worst.severity === worst.severity && before.worst.standing === worst.standing) return []
  return [`  ${paint(SEVERITY_TONES[worst.severity], worst.severity)} ${paint('dim', worst.standing)}`]
}

function rowLines(
  { worst, cells }: MatrixRow,
  { start, end, label }: { readonly start: number; readonly end: number; readonly label: number },
  page: Page,
): readonly string[] {
  const [first = '', ...others] = wrapLine(titleOf(worst, page), label - 1, 2)
  const signs = cells
    .slice(start, end)
    .map((cell) => signOf(cell, page))
    .join('')
  // A label wider than its column gets a line of its own.
  const lead = columnsOf(first) < label ? [] : [`${' '.repeat(MARGIN)}${first}`]
  const beside = lead.length === 0 ? first : ''
  return [
    ...lead,
    `${' '.repeat(MARGIN)}${padColumns(beside, label)}${signs}`.trimEnd(),
    ...others.map((line) => `${' '.repeat(MARGIN)}${line}`),
  ]
}

function findingLines(row: MatrixRow, { hosts }: Matrix, page: Page): readonly string[] {
  const { worst } = row
  const found = findingsOfRow(row, hosts)
  const shown = found.slice(0, FINDINGS_SHOWN)
  const severity = page.paint(SEVERITY_TONES[worst.severity], worst.severity)
  const more = found.slice(FINDINGS_SHOWN).flatMap(({ hosts: own }) => own)
  return [
    ...wrapLine(`  ${severity}  ${titleOf(worst, page)}`, page.width, 4),
    ...shown.flatMap((finding) => sharedLines(finding, hosts.length, page)),
    ...(more.length === 0
      ? []
      : wrapLine(
          `      ${page.paint('dim', `and different values on ${namesOf(more, hosts.length, page.escape)}`)}`,
          page.width,
          8,
        )),
  ]
}

function sharedLines(finding: SharedFinding, all: number, page: Page): readonly string[] {
  const { hosts, found, differs, requirement } = finding
  const { escape, paint, width } = page
  const names = paint('dim', `${namesOf(hosts, all, escape)}${differs ? ' (differs)' : ''}:`)
  const texts = found.slice(0, RESOURCES_SHOWN).map((text) => escape(clip(text, FOUND_CHARACTERS)))
  const others = found.length - texts.length
  const [first = requirement.standing, ...rest] = [
    ...texts,
    ...(others > 0 ? [paint('dim', `and ${countOf(others, 'more resource')}`)] : []),
  ]
  return [
    ...wrapLine(`      ${names} ${first}`, width, 8),
    ...rest.flatMap((text) => wrapLine(`        ${text}`, width, 10)),
  ]
}

function titleOf({ id, path = [], control }: MatrixRow['worst'], { escape }: Page): string {
  const name = [...path, id].map(escape).join(' > ')
  return control?.title === undefined ? name : `${name} ${escape(control.title)}`
}

function signOf(cell: MatrixCell | undefined, { paint }: Page): string {
  if (cell === undefined) return '  '
  const { standing } = cell.requirement
  return paint(TONES[standing], SIGNS[standing]) + (cell.differs ? paint('strong', '*') : ' ')
}

function isTrouble(cell: MatrixCell | undefined): boolean {
  return cell !== undefined && cell.found.length > 0
}

function letterOf(index: number): string {
  return String.fromCodePoint(97 + index)
}
