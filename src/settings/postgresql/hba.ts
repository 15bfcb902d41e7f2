import { dirname } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { Assignment } from '../assignment.ts'
import type { Format } from '../formats/format.ts'
import type { ConfigFiles, KeyRules, Surface } from '../surface.ts'
import { listsOf } from '../values.ts'
import {
  type Cluster,
  clustersOf,
  filesIn,
  inEachCluster,
  lastOf,
  readConfiguration,
  resolveClusters,
  resolveIn,
} from './clusters.ts'
import { isInstalled } from './index.ts'

const KEYS = ['methods', 'host_methods', 'plain_addresses'] as const

const RULES: KeyRules = { order: listsOf(/ +/, ' '), wins: 'all', default: '' }

/** Access rules need the decision of an administrator. */
const REFUSED = { kind: 'refused', reason: 'access rules are not fixed automatically: edit pg_hba.conf' } as const
const format: Format = {
  name: 'pg_hba',
  hasSections: false,
  parse: () => known([]),
  set: () => REFUSED,
  remove: () => REFUSED,
}

/** Access and authentication rules of the database servers. */
export const pgHba: Surface = {
  name: 'pg_hba',
  summary:
    'For each cluster: `pg_hba.conf`, or the file in `hba_file`, with its includes. `methods` lists the authentication methods of all records, `host_methods` those of TCP records, and `plain_addresses` the remote addresses that may connect without TLS. All three take `includes` and `excludes`. A fix does not change them.',
  installed: (files) => isInstalled(files),
  keyOf: (text) =>
    (KEYS as readonly string[]).includes(text)
      ? { section: '', key: text }
      : { problem: `must be one of ${KEYS.join(', ')}` },
  rulesOf: () => RULES,
  read: (files) => inEachCluster(files, (cluster) => readRecords(files, cluster)),
  resolve: resolveClusters,
  writes: (files) => ({ file: firstMain(files), format }),
  activation: { kind: 'none' },
}

function firstMain(files: ConfigFiles): string {
  const clusters = clustersOf(files)
  const [cluster] = clusters.kind === 'known' ? clusters.value : []
  return cluster === undefined ? '/etc/postgresql/pg_hba.conf' : `${dirname(cluster.main)}/pg_hba.conf`
}

function readRecords(files: ConfigFiles, cluster: Cluster): Reading<readonly Assignment[]> {
  const configuration = readConfiguration(files, cluster)
  if (configuration.kind === 'unknown') return configuration
  const named = lastOf(configuration.value, 'hba_file')
  const directory = dirname(cluster.main)
  const all: Found = { assignments: [], records: [] }
  return readFile(files, resolveIn(directory, named?.value ?? 'pg_hba.conf'), all) ?? known(all.assignments)
}

type Problem = ReturnType<typeof unknown>

interface Found {
  readonly assignments: Assignment[]
  /** In order: the first that matches a connection decides. */
  readonly records: Record[]
}

function readFile(files: ConfigFiles, path: string, all: Found, depth = 0): Problem | undefined {
  if (depth > 10) return unknown('invalid', `${path}: includes are nested too deeply, which PostgreSQL rejects`)
  const text = files.text(path)
  if (text.kind === 'unknown') return text
  if (text.value === null) return unknown('invalid', `${path} does not exist, so no client can connect`)
  for (const { words, line } of recordsOf(text.value)) {
    const [type = '', second = ''] = words
    const target = resolveIn(dirname(path), second)
    if (/^include(?:_if_exists|_dir)?$/.test(type)) {
      const problem = readIncluded(files, { word: type, target }, all, depth)
      if (problem !== undefined) return problem
      continue
    }
    const record = recordOf(words)
    if (record === undefined) return unknown('invalid', `${path}:${line}: not a valid pg_hba record`)
    const at = { section: '', file: path, line }
    const { assignments, records } = all
    assignments.push({ ...at, key: 'methods', value: record.method })
    if (record.address !== undefined) assignments.push({ ...at, key: 'host_methods', value: record.method })
    if (record.isPlain && !records.some((before) => rejects(before, record)))
      assignments.push({ ...at, key: 'plain_addresses', value: record.address ?? '' })
    records.push(record)
  }
  return undefined
}

function readIncluded(
  files: ConfigFiles,
  { word, target }: { readonly word: string; readonly target: string },
  all: Found,
  depth: number,
): Problem | undefined {
  const paths = word === 'include_dir' ? filesIn(files, target) : known([target])
  if (paths.kind === 'unknown') return paths
  for (const path of paths.value) {
    const there = files.exists(path)
    if (there.kind === 'unknown') return there
    if (!there.value && word === 'include_if_exists') continue
    const problem = readFile(files, path, all, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

interface Line {
  readonly words: readonly string[]
  readonly line: number
}

/** Splits lines into words. Quotes protect spaces and commas, commas join words, and a backslash continues the line. */
function recordsOf(text: string): readonly Line[] {
  const records: Line[] = []
  const lines = text.split('\n')
  for (let start = 0; start < lines.length;) {
    let joined = lines[start] ?? ''
    let next = start + 1
    while (joined.endsWith('\\') && next < lines.length) {
      joined = joined.slice(0, -1) + (lines[next] ?? '')
      next += 1
    }
    const words = wordsOf(joined)
    if (words.length > 0) records.push({ words, line: start + 1 })
    start = next
  }
  return records
}

function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  // A form feed or a no-break space is no blank here.
  const tokens = /"((?:[^"]|"")*)"|[^ \t\r",#]+|,[ \t\r]*|#.*|[ \t\r]+/gs
  let isOpen = false
  for (const [token, inQuotes] of line.matchAll(tokens)) {
    if (token.startsWith('#')) break
    if (/^[ \t\r]/.test(token)) {
      isOpen = isOpen && (words.at(-1)?.endsWith(',') ?? false)
      continue
    }
    const said = inQuotes === undefined ? token.replace(/[ \t\r]+$/, '') : inQuotes.replaceAll('""', '"')
    if (isOpen || token.startsWith(',')) words.push((words.pop() ?? '') + said)
    else words.push(said)
    isOpen = true
  }
  return words
}

interface Record {
  readonly method: string
  readonly address?: string
  /** Whether it accepts remote connections without TLS. */
  readonly isPlain: boolean
  readonly databases: string
  /** Whether it rejects all connections without TLS of every user from its address, but for replication. */
  readonly rejectsPlain: boolean
}

/** Whether an earlier record leaves no connection without TLS for this one. */
function rejects({ rejectsPlain, address = '' }: Record, { address: wanted = '', databases }: Record): boolean {
  if (!rejectsPlain || databases.split(',').includes('replication')) return false
  return address === 'all' || (wanted.includes('/') && address === (wanted.includes(':') ? '::/0' : '0.0.0.0/0'))
}

function recordOf([type = '', databases = '', users = '', ...rest]: readonly string[]): Record | undefined {
  if (type === 'local') {
    const [method, ...options] = rest
    if (!options.every(isOption)) return undefined
    // On a socket, the server replaces ident by peer.
    if (method === undefined) return undefined
    return { method: method === 'ident' ? 'peer' : method, isPlain: false, rejectsPlain: false, databases }
  }
  if (!/^host(?:no)?(?:ssl|gssenc)?$/.test(type) || type === 'hostno') return undefined
  const [written = '', ...others] = rest
  const isMaskApart = /^[\da-fA-F.:]+$/.test(written) && /[.:]/.test(written)
  const [method, ...options] = isMaskApart ? others.slice(1) : others
  if (method === undefined || !options.every(isOption)) return undefined
  const address = isMaskApart ? `${written}/${others[0] ?? ''}` : written
  const isEncrypted = type === 'hostssl' || type === 'hostgssenc'
  const isReject = method === 'reject'
  return {
    method,
    address,
    isPlain: !isEncrypted && !isReject && !isOwn(address),
    rejectsPlain: !isEncrypted && isReject && databases === 'all' && users === 'all',
    databases,
  }
}

function isOption(word: string): boolean {
  return word.includes('=')
}

/** Whether only this host connects from the address. */
function isOwn(address: string): boolean {
  return /^(?:127\.[\d.]+\/(?:[89]|[12]\d|3[0-2]|255\.[\d.]+)|::1\/(?:128|f[f:]+))$|^(?:localhost|samehost)$/i.test(
    address,
  )
}
