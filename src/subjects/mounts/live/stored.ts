import { defined } from '../../../model/defined.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { type FstabEntry, isMountedAtStart, parseFstab, parseMountArguments, unclearLine } from '../fstab.ts'
import type { MountLine, ShadowedOptions, StoredMount } from '../mounts.ts'
import { readingOf } from '../../../host/live/machine-reading.ts'
import { resolvePath } from '../../../host/systemd/find-unit.ts'
import { filesOf, GENERATOR_DIRECTORIES } from '../../../host/systemd/place.ts'
import { readUnitDirectories, type UnitDirectory } from '../../../host/systemd/unit-directories.ts'
import {
  findMountUnit,
  findOverride,
  isMadeOfFstab,
  isStarted,
  mountDropIns,
  type MountUnit,
  mountUnit,
  optionsIn,
  ownDropIn,
} from './mount-units.ts'
import { COMMAND_LINE, FSTAB, type MountPlace } from './place.ts'

/** A mount that systemd makes before it reads any file. */
interface BuiltInMount {
  readonly fstype: string
  readonly options: string
}

const SAFE = 'nosuid,nodev,noexec'

/**
 * @see the table in systemd's src/shared/mount-setup.c; systemd-remount-fs.service(8) applies their options from fstab
 */
const MOUNTS: ReadonlyMap<string, BuiltInMount> = new Map([
  ['/proc', { fstype: 'proc', options: SAFE }],
  ['/sys', { fstype: 'sysfs', options: SAFE }],
  ['/dev', { fstype: 'devtmpfs', options: 'mode=0755,nosuid' }],
  ['/dev/shm', { fstype: 'tmpfs', options: 'mode=1777,nosuid,nodev' }],
  ['/dev/pts', { fstype: 'devpts', options: 'mode=0620,gid=5,nosuid,noexec' }],
  ['/run', { fstype: 'tmpfs', options: 'mode=0755,nosuid,nodev' }],
  ['/sys/kernel/security', { fstype: 'securityfs', options: SAFE }],
  ['/sys/fs/cgroup', { fstype: 'cgroup2', options: SAFE }],
  ['/sys/fs/pstore', { fstype: 'pstore', options: SAFE }],
  ['/sys/fs/bpf', { fstype: 'bpf', options: `mode=0700,${SAFE}` }],
  ['/sys/firmware/efi/efivars', { fstype: 'efivarfs', options: SAFE }],
])

const SYSTEMD = ['/usr/lib/systemd/systemd', '/lib/systemd/systemd']

/** The stored mounts of a machine. Each file is read once. */
export interface StoredMounts {
  find(path: string): Reading<StoredMount>
}

interface Entry extends FstabEntry {
  readonly file: string
}

interface Files {
  readonly fstab: string
  readonly entries: readonly Entry[]
  /** The unit directories; undefined without systemd. */
  readonly units: readonly UnitDirectory[] | undefined
}

/**
 * Opens the stored mounts. Nothing is read before the first query. `commandLine` returns the arguments of the next boot,
 * if they differ from the current ones.
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
  const unclear = unclearLine(text)
  if (unclear !== undefined) return unknown('invalid', `${FSTAB}:${unclear}`)
  if (commandLine.kind === 'unknown') return commandLine
  const { readsFstab, extra } = parseMountArguments(commandLine.value ?? '')
  const own = readsFstab ? parseFstab(text).map((entry) => ({ ...entry, file: FSTAB })) : []
  const entries = [...own, ...extra.map((entry) => ({ ...entry, file: COMMAND_LINE }))]
  if (!SYSTEMD.some((path) => machine.stat(path).kind === 'present')) {
    return known({ fstab: text, entries: own, units: undefined })
  }
  const units = readUnitDirectories(systemd)
  if (units.kind === 'unknown') return units
  // The generator resolves links in the path.
  const resolved = entries.map((entry) => ({
    ...entry,
    point: resolvePath(filesOf(systemd), entry.point, 'last-too') ?? '',
  }))
  return known({ fstab: text, entries: resolved, units: units.value })
}

function find(place: MountPlace, files: Files, path: string): Reading<StoredMount> {
  const { entries, units, fstab } = files
  const own = entries.filter(({ point }) => point === path)
  // mount -a mounts every entry over the previous one, systemd only the first.
  if (units === undefined) return known(storedEntry(fstab, own.at(-1)))
  const [entry] = own
  if (path === '/') {
    if (entry !== undefined) return known(storedEntry(fstab, entry))
    return unknown('not-observable', `${FSTAB} has no entry for /, which the boot loader or an initramfs mounts`)
  }
  // systemd mounts it by itself; only fstab can change that, not a unit.
  const builtIn = MOUNTS.get(path)
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
    ...(starts || entry.point === '/' ? {} : { idle: `noauto is set in ${file}:${line}` }),
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

/** Units below /run end with the next boot, but generators create theirs again. */
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
  // Links from the fstab generator prove nothing: the entry may be gone.
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

/** A unit from another generator or a package. */
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
  return storedOptions(said, it, `${found.path} exists, but no unit starts it`)
}

function storedDropIns(said: readonly ShadowedOptions[], it: Unit, entry: Entry): StoredMount {
  return storedOptions([entry, ...said], it, `noauto is set in ${entry.file}:${entry.line}`)
}

function storedOptions(said: readonly ShadowedOptions[], { unit, isStarted }: Unit, idle: string): StoredMount {
  const last = said.at(-1)
  if (last === undefined) throw new Error('a unit without content was found')
  const overruledBy: MountLine | undefined = findOverride(said, unit)
  return {
    kind: 'stored',
    options: last.options,
    origin: { file: last.file, line: last.line },
    ...(isStarted ? {} : { idle }),
    shadowed: said.slice(0, -1).map(({ file, line, options }) => ({ file, line, options })),
    place: { kind: 'drop-in', file: ownDropIn(unit), ...defined({ overruledBy }) },
  }
}
