import { parseDuration } from '../model/duration.ts'
import { defined } from '../model/defined.ts'
import type { Problem, Result } from '../model/problem.ts'
import { isSafeName, NAME_RULE } from './nats/names.ts'

/** A host of a CSV file. */
export interface ListedHost {
  readonly name: string
  readonly ring?: string
  /** Reporting interval, `1h`. */
  readonly interval?: string
  readonly labels: Readonly<Record<string, string>>
}

const OWN_COLUMNS: readonly string[] = ['name', 'ring', 'interval']

/**
 * Parses hosts from CSV (RFC 4180): a header with `name`, then one line per host. Columns other than `ring` and
 * `interval` are labels; empty fields are ignored. Reports all errors with their lines.
 */
export function readHostsCsv(file: string, text: string): Result<readonly ListedHost[]> {
  const problems: Problem[] = []
  const complain = (line: number, message: string): void => {
    problems.push({ message, severity: 'error', position: { file, line, column: 1 } })
  }
  const [header, ...rows] = rowsOf(text)
  const columns = header?.fields.map((field) => field.trim()) ?? []
  if (!columns.includes('name'))
    complain(1, 'the first line must name the columns, including "name": name,ring,interval')
  const hosts = new Map<string, ListedHost>()
  for (const { line, fields } of problems.length > 0 ? [] : rows) {
    if (fields.length !== columns.length) {
      complain(line, `expected ${columns.length} fields as in the first line, found ${fields.length}`)
      continue
    }
    const host = hostOf(new Map(columns.map((column, at) => [column, fields[at]?.trim() ?? ''])))
    const { name, ring, interval } = host
    if (!isSafeName(name)) complain(line, `${JSON.stringify(name)} is not a host name: ${NAME_RULE}`)
    else if (hosts.has(name)) complain(line, `${name} is already in the file`)
    if (ring !== undefined && !isSafeName(ring)) complain(line, `${JSON.stringify(ring)} is not a ring: ${NAME_RULE}`)
    if (interval !== undefined && !((parseDuration(interval) ?? 0) > 0))
      complain(line, `${JSON.stringify(interval)} is not an interval such as 15m, 1h or 1d`)
    hosts.set(name, host)
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: [...hosts.values()], warnings: [] }
}

function hostOf(row: ReadonlyMap<string, string>): ListedHost {
  const own = (column: string): string | undefined => row.get(column) || undefined
  const labels = [...row].filter(([column, value]) => !OWN_COLUMNS.includes(column) && value !== '')
  const about = defined({ ring: own('ring'), interval: own('interval') })
  return { name: row.get('name') ?? '', ...about, labels: Object.fromEntries(labels) }
}

interface Row {
  /** First line of the row, starting from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y

/** Skips empty lines. An unclosed quote makes the rest of its line one field, so the number of fields is wrong. */
function rowsOf(text: string): readonly Row[] {
  const rows: Row[] = []
  let fields: string[] = []
  let [line, begun] = [1, 1]
  FIELD.lastIndex = 0
  for (const body = text.replace(/^\uFEFF/, ''); ;) {
    const from = FIELD.lastIndex
    const [all = '', quoted, plain = '', end = ''] = FIELD.exec(body) ?? []
    if (all === '' && from < body.length) {
      const rest = body.indexOf('\n', from)
      FIELD.lastIndex = rest === -1 ? body.length : rest
      fields.push(body.slice(from, FIELD.lastIndex), '')
      continue
    }
    fields.push(quoted?.replaceAll('""', '"') ?? plain)
    line += all.split('\n').length - 1
    if (end === ',') continue
    if (fields.some((field) => field.trim() !== '')) rows.push({ line: begun, fields })
    if (FIELD.lastIndex >= body.length) return rows
    fields = []
    begun = line
  }
}
