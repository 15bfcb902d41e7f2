import { defined } from '../../../model/defined.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { type FstabEntry, isMountedAtStart, parseFstab, parseMountArguments } from '../fstab.ts'
import type { MountLine, ShadowedOptions, StoredMount } from '../mounts.ts'
import { readingOf } from '../../../host/live/machine-reading.ts'
import { resolvePath } from '../../../host/systemd/find-unit.ts'
import { filesOf, GENERATOR_DIRECTORIES } from '../../../host/systemd/place.ts'
import { readUnitDirectories, type UnitDirectory } from '../../../host/systemd/unit-directories.ts'
import { type BuiltInMount, builtInMount } from './built-in.ts'
import {
  findMountUnit,
  isMadeOfFstab,
  isStarted,
  mountDropIns,
  type MountUnit,
  mountUnit,
  optionsIn,
  overruling,
  ownDropIn,
} from './mount-units.ts'
import { COMMAND_LINE, FSTAB, type MountPlace } from './place.ts'

const SYSTEMD = ['/usr/lib/systemd/systemd', '/lib/systemd/systemd']

/** What the files of a machine say of mounts, each of them read once. */
export interface StoredMounts {
  find(path: string): Reading<StoredMount>
}

/** An entry with the file that it stands in. */
interface Entry extends FstabEntry {
  readonly file: string
}

/** The files as they were read. */
interface Files {
  readonly fstab: string
  readonly entries: readonly Entry[]
  /** Those of units; undefined where there is no systemd that would mount them. */
  readonly units: readonly UnitDirectory[] | undefined
}

/**
 * Opens what says what is mounted when the system starts. Nothing is read before the first question. `commandLine` says what
 * the start is told, if that is not what this one was.
 */
export function openStoredMounts(
  place: MountPlace,
  commandLine = () => readingOf(filesOf(place.systemd)).readText(COMMAND_LINE),
): StoredMounts {
  let files: Reading<Files> | undefined
  return {
    find(path) {
      files ??= readFiles(place, commandLine())
      return files.kind === 'unknown' ? files : find(place, files.value, path)
    },
  }
}

function readFiles({ systemd }: MountPlace, commandLine: Reading<string | null>): Reading<Files> {
  const machine = readingOf(filesOf(systemd))
  const fstab = machine.readText(FSTAB)
  if (fstab.kind === 'unknown') return fstab
  const text = fstab.value ?? ''
  if (commandLine.kind === 'unknown') return commandLine
  const { readsFstab, extra } = parseMountArguments(commandLine.value ?? '')
  const own = readsFstab ? parseFstab(text).map((entry) => ({ ...entry, file: FSTAB })) : []
  const entries = [...own, ...extra.map((entry) => ({ ...entry, file: COMMAND_LINE }))]
  if (!SYSTEMD.some((path) => machine.stat(path).kind === 'present')) {
    return known({ fstab: text, entries: own, units: undefined })
  }
  const units = readUnitDirectories(systemd)
  if (units.kind === 'unknown') return units
  // The generator mounts where the links of a path lead.
  const resolved = entries.map((entry) => ({
    ...entry,
    point: resolvePath(filesOf(systemd), entry.point, 'last-too') ?? '',
  }))
  return known({ fstab: text, entries: resolved, units: units.value })
}

function find(place: MountPlace, files: Files, path: string): Reading<StoredMount> {
  const { entries, units, fstab } = files
  const own = entries.filter(({ point }) => point === path)
  // mount -a mounts one upon the other, systemd only the first.
  if (units === undefined) return known(storedEntry(fstab, own.at(-1)))
  const [entry] = own
  if (path === '/') {
    if (entry !== undefined) return known(storedEntry(fstab, entry))
    return unknown('not-observable', `${FSTAB} does not say how / is mounted, the boot loader or an initramfs does`)
  }
  const builtIn = builtInMount(path)
  if (builtIn === undefined) return findUnits(place, { ...files, units }, { path, entry })
  return known(entry === undefined ? storedBuiltIn(fstab, builtIn) : storedEntry(fstab, entry))
}

function storedEntry(
  fstab: string,
  entry: Entry | undefined,
  { isStarted: starts } = { isStarted: entry !== undefined && isMountedAtStart(entry) },
): StoredMount {
  if (entry === undefined) return { kind: 'nothing' }
  const { file, line, options } = entry
  return {
    kind: 'stored',
    options,
    origin: { file, line },
    ...(starts || entry.point === '/' ? {} : { idle: `${file}:${line} says noauto` }),
    shadowed: [],
    place: { kind: 'fstab-line', text: fstab, line },
  }
}

function storedBuiltIn(fstab: string, { fstype, options }: BuiltInMount): StoredMount {
  return { kind: 'stored', options, shadowed: [], place: { kind: 'fstab-entry', text: fstab, fstype } }
}

interface Question {
  readonly path: string
  readonly entry: Entry | undefined
}

/** What is below /run is gone at the next start, but what generators put there comes again. */
function findUnits(
  { systemd }: MountPlace,
  { fstab, units }: Files & { readonly units: readonly UnitDirectory[] },
  { path, entry }: Question,
): Reading<StoredMount> {
  const unit = mountUnit(path)
  const lasting = units.filter((directory) => !directory.path.startsWith('/run/'))
  const among = lasting.filter((directory) => directory.path.startsWith('/etc/'))
  const first = findMountUnit(systemd, unit, { among, all: lasting })
  if (first.kind === 'unknown') return first
  const found =
    first.value.kind === 'missing' && entry === undefined ? findGenerated(systemd, unit, { units, lasting }) : first
  if (found.kind === 'unknown') return found
  // Links of fstab's generator are no proof: an entry may be gone since then.
  const isGenerated = found.value.kind === 'file' && found.value.path.startsWith('/run/')
  const started =
    entry !== undefined && isMountedAtStart(entry)
      ? known(true)
      : isStarted(systemd, isGenerated ? units : lasting, { unit, path })
  if (started.kind === 'unknown') return started
  const it = { unit, isStarted: started.value }
  if (found.value.kind !== 'missing' || entry === undefined) return known(storedUnit(found.value, it, entry))
  const dropIns = mountDropIns(systemd, lasting, unit)
  if (dropIns.kind === 'unknown') return dropIns
  const said = optionsIn(dropIns.value)
  return known(said.length === 0 ? storedEntry(fstab, entry, it) : storedDropIns(said, it, entry))
}

/** A unit that another generator made, or a package brings. */
function findGenerated(
  systemd: MountPlace['systemd'],
  unit: string,
  { units, lasting }: { readonly units: readonly UnitDirectory[]; readonly lasting: readonly UnitDirectory[] },
): Reading<MountUnit> {
  const generated = units.filter(({ path }) => GENERATOR_DIRECTORIES.includes(path))
  const made = findMountUnit(systemd, unit, { among: generated, all: lasting })
  if (made.kind === 'unknown') return made
  if (made.value.kind === 'file' && !isMadeOfFstab(made.value.texts)) return made
  return findMountUnit(systemd, unit, { among: lasting, all: lasting })
}

interface Unit {
  readonly unit: string
  readonly isStarted: boolean
}

function storedUnit(found: MountUnit, it: Unit, entry: Entry | undefined): StoredMount {
  if (found.kind === 'missing') return { kind: 'nothing' }
  if (found.kind === 'masked') return { kind: 'nothing', why: `${it.unit} is masked by ${found.path}` }
  const own = { file: found.path, line: 1, options: '' }
  const said = [...(entry === undefined ? [] : [entry]), own, ...optionsIn(found.texts)]
  return storedOptions(said, it, `${found.path} is there, but nothing that is known starts it`)
}

function storedDropIns(said: readonly ShadowedOptions[], it: Unit, entry: Entry): StoredMount {
  return storedOptions([entry, ...said], it, `${entry.file}:${entry.line} says noauto`)
}

function storedOptions(said: readonly ShadowedOptions[], { unit, isStarted }: Unit, idle: string): StoredMount {
  const last = said.at(-1)
  if (last === undefined) throw new Error('a unit was found that says nothing')
  const overruledBy: MountLine | undefined = overruling(said, unit)
  return {
    kind: 'stored',
    options: last.options,
    origin: { file: last.file, line: last.line },
    ...(isStarted ? {} : { idle }),
    shadowed: said.slice(0, -1).map(({ file, line, options }) => ({ file, line, options })),
    place: { kind: 'drop-in', file: ownDropIn(unit), ...defined({ overruledBy }) },
  }
}
