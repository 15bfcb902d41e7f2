import { posix } from 'node:path'
import { parse } from 'yaml'
import type { Problem } from '../core/problem.ts'
import { deepMerge } from '../data/merge.ts'
import { formatGoValue, fromPlain, type GoValue } from '../template/govalue/index.ts'
import type { Target } from '../target/target.ts'
import type { FactMap } from './family.ts'

/** Where custom facts may lie, one list a level; of each list the first directory that exists is read. */
export interface CustomFactDirectories {
  readonly system: readonly string[]
  readonly user: readonly string[]
}

/** The directories of driftgate, and those of CCM where driftgate has none. `configHome` is `$XDG_CONFIG_HOME`. */
export function customFactDirectories(configHome: string | undefined): CustomFactDirectories {
  return {
    system: ['/etc/driftgate', '/etc/choria/ccm'],
    user: configHome === undefined ? [] : [`${configHome}/driftgate`, `${configHome}/choria/ccm`],
  }
}

/** Custom facts with what kept some of them from being read. */
export interface CustomFacts {
  readonly facts: FactMap
  /** What each file holds, later ones over earlier ones. */
  readonly files: readonly { readonly path: string; readonly facts: FactMap }[]
  readonly warnings: readonly Problem[]
}

/**
 * Reads the facts an administrator wrote down: `facts.json`, then `facts.yaml`, then `facts.d/*.json` and `*.yaml` in
 * the order of their names, the user's over the system's, later ones over earlier ones. A file counts only if it is a
 * regular file, no link, that belongs to root or to the running user and that nobody else can change: facts steer what
 * a scan checks, so whoever writes them could switch checks off.
 */
export function readCustomFacts(target: Target, directories: CustomFactDirectories, runningUid: number): CustomFacts {
  const warnings: Problem[] = []
  const files: { readonly path: string; readonly facts: FactMap }[] = []
  for (const candidates of [directories.system, directories.user]) {
    const directory = candidates.find((path) => isDirectory(target, path))
    if (directory === undefined) continue
    for (const path of factFiles(target, directory, warnings)) {
      const facts = readFactFile(target, path, runningUid)
      if (facts.ok) files.push({ path, facts: facts.value })
      else warnings.push({ severity: 'warning', message: `facts of ${path} are ignored: ${facts.message}` })
    }
  }
  const merged = files.reduce<FactMap>((below, { facts }) => asFactMap(deepMerge(below, facts)), new Map())
  return { facts: merged, files, warnings }
}

/** Parses a document of facts, YAML or JSON: a map with text keys. */
export function parseFacts(text: string): Parsed {
  try {
    const data: unknown = parse(text, { intAsBigInt: true, maxAliasCount: 1000, logLevel: 'error' })
    if (data === null || data === undefined) return { ok: true, value: new Map() }
    const value = fromPlain(data)
    return value instanceof Map ? { ok: true, value: asFactMap(value) } : { ok: false, message: 'it holds no map' }
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { ok: false, message }
  }
}

type Parsed = { readonly ok: true; readonly value: FactMap } | { readonly ok: false; readonly message: string }

function asFactMap(map: ReadonlyMap<GoValue, GoValue>): FactMap {
  return new Map([...map].map(([key, value]) => [formatGoValue(key), value]))
}

function isDirectory(target: Target, path: string): boolean {
  if (!posix.isAbsolute(path)) return false
  const stat = target.lstat(posix.normalize(path))
  return stat.kind === 'present' && stat.state.kind === 'directory'
}

function factFiles(target: Target, directory: string, warnings: Problem[]): readonly string[] {
  const single = ['facts.json', 'facts.yaml'].map((name) => `${directory}/${name}`)
  const folder = `${directory}/facts.d`
  const stat = target.lstat(folder)
  if (stat.kind === 'present' && stat.state.kind !== 'directory') {
    warnings.push({
      severity: 'warning',
      message: `facts of ${folder} are ignored: it is a ${stat.state.kind}, not a directory`,
    })
  }
  const names = stat.kind === 'present' && stat.state.kind === 'directory' ? target.probe.list(folder) : undefined
  if (names?.kind === 'unknown')
    warnings.push({ severity: 'warning', message: `facts of ${folder} are ignored: ${names.detail}` })
  const listed = names?.kind === 'known' ? (names.value ?? []) : []
  const wanted = listed.filter((name) => /\.(json|yaml)$/i.test(name)).map((name) => `${folder}/${name}`)
  return [...single.filter((path) => target.lstat(path).kind !== 'absent'), ...wanted]
}

function readFactFile(target: Target, path: string, runningUid: number): Parsed {
  const stat = target.lstat(path)
  if (stat.kind === 'unknown') return { ok: false, message: stat.detail }
  if (stat.kind === 'absent') return { ok: true, value: new Map() }
  const { kind, uid, mode } = stat.state
  if (kind !== 'file') return { ok: false, message: `it is a ${kind}, not a regular file` }
  if (uid !== 0 && uid !== runningUid)
    return { ok: false, message: 'it belongs neither to root nor to the running user' }
  if ((mode & 0o022) !== 0) return { ok: false, message: 'others can write to it, run: chmod go-w' }
  const text = target.probe.readText(path)
  if (text.kind === 'unknown') return { ok: false, message: text.detail }
  return text.value === null ? { ok: true, value: new Map() } : parseFacts(text.value)
}
