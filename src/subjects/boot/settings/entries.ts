import { pathsIn } from '../../../host/paths-in.ts'
import { known, type Reading, unknown, mapReading, readEach } from '../../../model/observation.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import {
  type BootEntry,
  type Command,
  type GrubScript,
  linuxEntriesOf,
  parseGrubScript,
  variablesOf,
} from './grub-menu.ts'
import { shownWord } from './grub-script.ts'
import { type LoaderEntry, parseEnvironment, parseLoaderEntry } from './loader-entry.ts'

export interface BootMenus {
  /** Entries of GRUB's own menu files. */
  readonly grub: readonly BootEntry[]
  readonly loader: readonly LoaderEntry[]
  /** GRUB environment, if any. */
  readonly environment: GrubEnvironment | undefined
  readonly scripts: readonly GrubScript[]
}

export interface GrubEnvironment {
  readonly file: string
  readonly text: string
  readonly variables: ReadonlyMap<string, string>
}

const GRUB = ['/boot/grub', '/boot/grub2']
/** Mount points of the EFI system partition. */
const PARTITIONS = ['/boot/efi', '/efi', '/boot']

/** Configuration files of unsupported boot loaders. */
const OTHERS = ['/boot/extlinux/extlinux.conf', '/boot/syslinux/syslinux.cfg', '/boot/refind_linux.conf']
const WHOLE = ['/boot/firmware/cmdline.txt', '/boot/cmdline.txt']

/** Reads the menus; unknown if any part is unknown. */
export function readBootMenus(files: ConfigFiles): Reading<BootMenus> {
  const directories = grubDirectories(files)
  if (directories.kind === 'unknown') return directories
  const scripts: GrubScript[] = []
  let environment: GrubEnvironment | undefined
  for (const directory of directories.value) {
    const read = readScripts(files, directory)
    if (read.kind === 'unknown') return read
    scripts.push(...read.value)
    const file = `${directory}/grubenv`
    const text = files.text(file)
    if (text.kind === 'unknown') return text
    if (text.value !== null) environment ??= { file, text: text.value, variables: parseEnvironment(text.value) }
  }
  const other = otherLoader(files)
  if (other.kind === 'unknown') return other
  const variables = variablesOf(scripts, environment?.variables ?? new Map())
  const loader = readLoaderEntries(files, withKernelOptions(environment, scripts))
  if (loader.kind === 'unknown') return loader
  return known({
    grub: scripts.flatMap((script) => linuxEntriesOf(script, variables)),
    loader: loader.value,
    environment,
    scripts,
  })
}

/** GRUB directories of /boot, and of each system on an EFI system partition. */
function grubDirectories(files: ConfigFiles): Reading<readonly string[]> {
  const systems = pathsIn(
    files,
    PARTITIONS.map((partition) => `${partition}/EFI`),
  )
  return mapReading(systems, (paths) => [...GRUB, ...paths])
}

/** Reads grub.cfg and the administrator's files that it includes. */
function readScripts(files: ConfigFiles, directory: string): Reading<readonly GrubScript[]> {
  const scripts: GrubScript[] = []
  for (const name of ['grub.cfg', 'custom.cfg', 'user.cfg']) {
    const file = `${directory}/${name}`
    const [main] = scripts
    if (name !== 'grub.cfg' && (main === undefined || !sources(main, name))) continue
    const text = files.text(file)
    if (text.kind === 'unknown') return text
    if (text.value === null) continue
    const script = parseGrubScript(text.value, file)
    if (script.kind === 'unknown') return script
    const [foreign] = script.value.commands.filter(readsOther)
    if (foreign !== undefined) {
      return unknown('not-observable', `${file}:${foreign.line} reads another file, whose entries are unknown`)
    }
    scripts.push(script.value)
  }
  return known(scripts)
}

/** The file on an EFI system partition loads that of /boot; files that an entry loads are menus of other systems. */
const KNOWN_FILE = /\/(?:grub|custom|user)\.cfg$/

function readsOther({ name, words, blocks }: Command): boolean {
  return READING.has(name) && blocks.length === 0 && !KNOWN_FILE.test(shownWord(words[1]))
}

const READING = new Set(['source', '.', 'configfile'])

function sources({ commands }: GrubScript, name: string): boolean {
  return commands.some(
    (command) => READING.has(command.name) && command.words.some((word) => shownWord(word).endsWith(`/${name}`)),
  )
}

/** Menu scripts set kernelopts if the environment does not. */
function withKernelOptions(
  environment: GrubEnvironment | undefined,
  scripts: readonly GrubScript[],
): ReadonlyMap<string, string> {
  const variables = new Map(environment?.variables)
  const [first] = variablesOf(scripts, variables).get('kernelopts') ?? []
  if (first !== undefined) variables.set('kernelopts', first.map(({ text }) => text).join(''))
  return variables
}

function readLoaderEntries(
  files: ConfigFiles,
  environment: ReadonlyMap<string, string>,
): Reading<readonly LoaderEntry[]> {
  const directories = PARTITIONS.map((partition) => `${partition}/loader/entries`)
  const paths = pathsIn(files, directories, (name) => name.endsWith('.conf'))
  if (paths.kind === 'unknown') return paths
  return readEach(paths.value, (file) =>
    mapReading(files.text(file), (text) => parseLoaderEntry(text ?? '', file, environment)),
  )
}

function otherLoader(files: ConfigFiles): Reading<null> {
  for (const path of [...OTHERS, ...WHOLE]) {
    const seen = files.exists(path)
    if (seen.kind === 'unknown') return seen
    if (seen.value) return unknown('not-observable', `${path} belongs to an unsupported boot loader`)
  }
  return known(null)
}

/** Directories of unified kernel images. */
export const IMAGE_DIRECTORIES: readonly string[] = PARTITIONS.map((partition) => `${partition}/EFI/Linux`)

export const ADDON_DIRECTORIES: readonly string[] = PARTITIONS.map((partition) => `${partition}/loader/addons`)
