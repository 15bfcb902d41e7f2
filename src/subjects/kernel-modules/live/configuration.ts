import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { InstallLine, ModuleConfiguration } from '../kernel-modules.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { matchesPattern, type ModprobeLine, parseModprobeFile } from './modprobe-file.ts'
import { type ModulesPlace, ownFile } from './place.ts'

/** Directories by precedence: the first one that contains a file name wins. */
const DIRECTORIES = ['/etc/modprobe.d', '/run/modprobe.d', '/usr/local/lib/modprobe.d', '/lib/modprobe.d']

/** Versions of kmod differ in reading this directory if it is not the same as the last one. */
const DISPUTED = '/usr/lib/modprobe.d'

interface ConfigurationFile {
  readonly path: string
  readonly text: string
  readonly lines: readonly ModprobeLine[]
}

/** The whole configuration of modprobe. */
export interface ModprobeConfiguration {
  /** In load order. */
  readonly files: readonly ConfigurationFile[]
  /** Shadowed files, with the file of the same name that is read. */
  readonly masked: readonly (ConfigurationFile & { readonly by: string })[]
}

/** Access to the files of the configuration. */
export interface ConfigurationReader {
  readonly probe: Pick<SystemProbe, 'readText' | 'list'>
  readonly realPath: (path: string) => Reading<string | null>
  readonly place: Pick<ModulesPlace, 'root'>
}

/** Reads the modprobe configuration; unknown as a whole if a part is unreadable. */
export function readConfiguration({ probe, realPath, place }: ConfigurationReader): Reading<ModprobeConfiguration> {
  const winners = new Map<string, ConfigurationFile>()
  const masked: (ConfigurationFile & { by: string })[] = []
  for (const directory of DIRECTORIES) {
    const names = probe.list(place.root + directory)
    if (names.kind === 'unknown') return names
    for (const name of (names.value ?? []).filter(isConfiguration)) {
      const path = `${directory}/${name}`
      const text = readText({ probe, realPath, place }, path)
      const winner = winners.get(name)
      // A shadowed file may be unreadable.
      if (text.kind === 'unknown' && winner === undefined) return text
      const content = text.kind === 'unknown' ? '' : text.value
      const file = { path, text: content, lines: parseModprobeFile(content) }
      if (winner === undefined) winners.set(name, file)
      else masked.push({ ...file, by: winner.path })
    }
  }
  const disputed = readDisputed({ probe, realPath, place })
  if (disputed.kind === 'unknown') return disputed
  const files = [...winners].toSorted(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
  return known({ files: files.map(([, file]) => file), masked })
}

/** A dangling link or a link to /dev/null shadows its name like an empty file. */
function readText({ probe, realPath, place }: ConfigurationReader, path: string): Reading<string> {
  const text = probe.readText(place.root + path)
  if (text.kind === 'known') return known(text.value ?? '')
  const target = realPath(place.root + path)
  return target.kind === 'known' && target.value === '/dev/null' ? known('') : text
}

/** @see conf_files_filter_out in libkmod-config.c */
function isConfiguration(name: string): boolean {
  return !name.startsWith('.') && name.length >= 6 && (name.endsWith('.conf') || name.endsWith('.alias'))
}

function readDisputed({ probe, realPath, place }: ConfigurationReader): Reading<null> {
  const names = probe.list(place.root + DISPUTED)
  if (names.kind === 'unknown') return names
  if (names.value === null || !names.value.some(isConfiguration)) return known(null)
  const usual = realPath(`${place.root}/lib/modprobe.d`)
  if (usual.kind === 'unknown') return usual
  const disputed = realPath(place.root + DISPUTED)
  if (disputed.kind === 'unknown') return disputed
  if (usual.value === disputed.value) return known(null)
  return unknown('not-observable', `${DISPUTED} is not /lib/modprobe.d, and some modprobe versions do not read both`)
}

/** The configuration of one module. The name uses `_` instead of `-`. */
export function configurationOf(name: string, { files, masked }: ModprobeConfiguration): ModuleConfiguration {
  const own = ownFile(name)
  const ownText = files.find(({ path }) => path === own.path)?.text
  const lines = files.flatMap((file) => file.lines.map((line) => ({ file: file.path, ...line })))
  return {
    install: files.flatMap((file) => installLines(file, name)),
    blacklist: lines.flatMap(({ file, line, ...said }) =>
      said.kind === 'blacklist' && said.module === name ? [{ file, line }] : [],
    ),
    aliases: lines.flatMap(({ file, line, ...said }) =>
      said.kind === 'alias' && said.module !== name && matchesPattern(said.pattern, name)
        ? [{ file, line, module: said.module }]
        : [],
    ),
    masked: masked.flatMap((file) => installLines(file, name).map((line) => ({ ...line, by: file.by }))),
    own: { path: own.path, state: ownText === undefined ? 'none' : ownText === own.content ? 'ours' : 'other' },
  }
}

function installLines({ path, lines }: ConfigurationFile, name: string): readonly InstallLine[] {
  return lines.flatMap((said) =>
    said.kind === 'install' && matchesPattern(said.pattern, name)
      ? [{ file: path, line: said.line, command: said.command }]
      : [],
  )
}
