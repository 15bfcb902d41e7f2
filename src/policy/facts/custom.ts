import { posix } from 'node:path'
import { parse } from 'yaml'
import { indentContinued } from '../document/indent-continued.ts'
import { formatGoValue, fromPlain, type GoValue } from '../../templates/govalue/index.ts'
import type { Target } from '../../host/target.ts'
import type { FactMap } from './family.ts'

/** Candidate directories of custom facts for each level; the first existing one is read. */
export interface CustomFactDirectories {
  readonly system: readonly string[]
  readonly user: readonly string[]
}

/** The directories of driftgate, or those of CCM if driftgate's are missing. `configHome` is `$XDG_CONFIG_HOME`. */
export function customFactDirectories(configHome: string | undefined): CustomFactDirectories {
  return {
    system: ['/etc/driftgate', '/etc/choria/ccm'],
    user: configHome === undefined ? [] : [`${configHome}/driftgate`, `${configHome}/choria/ccm`],
  }
}

/** A fact file: its facts, or why it cannot be used. */
export type CustomFactFile =
  { readonly path: string; readonly facts: FactMap } | { readonly path: string; readonly trouble: string }

/**
 * Reads the administrator's facts: `facts.json`, then `facts.yaml`, then `facts.d/*.json` and `*.yaml` sorted by name;
 * the user's take precedence over the system's, later files over earlier ones. A file is used only if it is a regular
 * file, not a link, that belongs to root or the running user and is not writable by others: facts control what a scan
 * checks, so their writers could disable checks. Other files are returned with the reason, since their content is
 * unknown.
 */
export function readCustomFacts(
  target: Target,
  directories: CustomFactDirectories,
  runningUid: number,
): readonly CustomFactFile[] {
  return [directories.system, directories.user].flatMap((candidates) => {
    const directory = candidates.find((path) => posix.isAbsolute(path) && target.files.lstat(path).kind !== 'absent')
    if (directory === undefined) return []
    const trouble = troubleOfDirectory(target, directory)
    if (trouble !== undefined) return [{ path: directory, trouble }]
    return factFiles(target, directory).map((file): CustomFactFile => {
      if (typeof file !== 'string') return file
      const facts = readFactFile(target, file, runningUid)
      return facts.ok ? { path: file, facts: facts.value } : { path: file, trouble: facts.message }
    })
  })
}

/** Parses facts in YAML or JSON: a map with text keys. */
export function parseFacts(text: string): Parsed {
  try {
    const data: unknown = parseAsGo(text)
    if (data === null || data === undefined) return { ok: true, value: new Map() }
    const value = fromPlain(data)
    return value instanceof Map
      ? { ok: true, value: asFactMap(value) }
      : { ok: false, message: 'it does not contain a map' }
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { ok: false, message }
  }
}

/** Go accepts lines with less indentation than YAML requires. */
function parseAsGo(text: string): unknown {
  const options = { intAsBigInt: true, merge: true, maxAliasCount: 1000, logLevel: 'error' } as const
  try {
    return parse(text, options)
  } catch (error) {
    const indented = indentContinued(text)
    if (indented === text) throw error
    return parse(indented, options)
  }
}

type Parsed = { readonly ok: true; readonly value: FactMap } | { readonly ok: false; readonly message: string }

function asFactMap(map: ReadonlyMap<GoValue, GoValue>): FactMap {
  return new Map([...map].map(([key, value]) => [formatGoValue(key), value]))
}

/** Why an existing directory cannot be read, as far as lstat tells. */
function troubleOfDirectory(target: Target, path: string): string | undefined {
  const stat = target.files.lstat(path)
  if (stat.kind === 'unknown') return stat.detail
  if (stat.kind === 'absent' || stat.state.kind === 'directory') return undefined
  return `it is a ${stat.state.kind}, not a directory`
}

/** Fact files in load order, plus directories that cannot be listed. */
function factFiles(target: Target, directory: string): readonly (string | CustomFactFile)[] {
  const single = ['facts.json', 'facts.yaml'].map((name) => `${directory}/${name}`)
  const there = single.filter((path) => target.files.lstat(path).kind !== 'absent')
  const folder = `${directory}/facts.d`
  if (target.files.lstat(folder).kind === 'absent') return there
  const trouble = troubleOfDirectory(target, folder)
  if (trouble !== undefined) return [...there, { path: folder, trouble }]
  const names = target.probe.list(folder)
  if (names.kind === 'unknown') return [...there, { path: folder, trouble: names.detail }]
  const wanted = (names.value ?? []).filter((name) => /\.(json|yaml)$/i.test(name))
  return [...there, ...wanted.map((name) => `${folder}/${name}`)]
}

const LARGEST_FILE_BYTES = 1024 * 1024

function readFactFile(target: Target, path: string, runningUid: number): Parsed {
  const stat = target.files.lstat(path)
  if (stat.kind === 'unknown') return { ok: false, message: stat.detail }
  if (stat.kind === 'absent') return { ok: true, value: new Map() }
  const { kind, uid, mode, sizeBytes } = stat.state
  if (kind !== 'file') return { ok: false, message: `it is a ${kind}, not a regular file` }
  if (uid !== 0 && uid !== runningUid) return { ok: false, message: 'its owner is neither root nor the current user' }
  if ((mode & 0o022) !== 0) return { ok: false, message: 'other users can write to it: run chmod go-w' }
  if (sizeBytes > LARGEST_FILE_BYTES) return { ok: false, message: 'it is larger than 1 MiB' }
  const text = target.probe.readText(path)
  if (text.kind === 'unknown') return { ok: false, message: text.detail }
  return text.value === null ? { ok: true, value: new Map() } : parseFacts(text.value)
}
