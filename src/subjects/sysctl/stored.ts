import { withBlanksOfC } from '../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { isUfwOn, readUfwVariable } from '../../settings/ufw.ts'
import { unitFilesOf } from '../../settings/look.ts'
import { readStarts, readUnit } from '../../settings/service-unit.ts'
import { readParametersOfIfupdown } from './ifupdown.ts'
import { readParametersOfNetworkManager } from './network-manager.ts'
import { readParametersOfNetworkd } from './networkd.ts'
import {
  compareFileNames,
  parseSysctlConf,
  type StoredAssignment,
  type StoredSysctl,
  SYSCTL_DIRECTORIES,
} from './sysctl-conf.ts'
import type { MachineReading } from '../../host/live/machine-reading.ts'

const SYSTEMD_SYSCTL = ['/usr/lib/systemd/systemd-sysctl', '/lib/systemd/systemd-sysctl']
/** Applies the files of procps on systems without systemd, such as sysvinit. @see sysctl(8), --system */
const PROCPS = '/etc/init.d/procps'
const PROCPS_LAST = '/etc/sysctl.conf'
const UNIT = 'systemd-sysctl.service'
const MASKS = ['/etc', '/run'].map((each) => `${each}/systemd/system/${UNIT}`)

/** Reads the kernel parameters set at boot. */
export function readStoredSysctl(machine: MachineReading): Reading<StoredSysctl> {
  const atStart = SYSTEMD_SYSCTL.some((path) => isThere(machine, path)) ? readSystemd(machine) : readProcps(machine)
  if (atStart.kind === 'unknown') return atStart
  const ufw = readUfw(machine)
  if (ufw.kind === 'unknown') return ufw
  const networkd = readParametersOfNetworkd(machine)
  if (networkd.kind === 'unknown') return networkd
  const manager = readParametersOfNetworkManager(machine)
  if (manager.kind === 'unknown') return manager
  const ifupdown = readParametersOfIfupdown(machine)
  if (ifupdown.kind === 'unknown') return ifupdown
  return known({ lists: [atStart.value, ufw.value, networkd.value, manager.value, ifupdown.value] })
}

function readSystemd(machine: MachineReading): Reading<readonly StoredAssignment[]> {
  for (const path of MASKS) {
    const leadsTo = machine.realPath(path)
    if (leadsTo.kind === 'unknown') return leadsTo
    const seen = machine.stat(path)
    const isEmpty = seen.kind === 'present' && seen.state.kind === 'file' && seen.state.sizeBytes === 0
    if (leadsTo.value === '/dev/null' || isEmpty) {
      return unknown('not-observable', `${path} is masked, so no known service sets parameters at boot`)
    }
  }
  const other = readOtherStart(machine)
  if (other.kind === 'unknown') return other
  return readDirectories(machine, (name) => !name.startsWith('.'))
}

/** Unknown if the unit, with its drop-ins, starts another program, or the same one with options, or only on a condition. */
function readOtherStart(machine: MachineReading): Reading<undefined> {
  const files = unitFilesOf(machine)
  const unit = readUnit(files, UNIT, { section: 'Service' })
  if (unit.kind === 'unknown') return unit
  const starts = readStarts(files, UNIT)
  if (starts.kind === 'unknown') return starts
  const other = unit.value?.find(
    ({ key, value }) => key === 'ExecStart' && !withBlanksOfC(/^[@\-:+!|]*\S*\/systemd-sysctl$/).test(value),
  )
  if (other !== undefined)
    return unknown('not-observable', `${UNIT} starts "${other.value}", which may set other parameters at boot`)
  const [condition] = starts.value?.conditions ?? []
  if (condition !== undefined)
    return unknown('not-observable', `${UNIT} starts only if ${condition.key}=${condition.value} holds`)
  const isNone = starts.value !== undefined && starts.value.packaged.length > 0 && starts.value.effective.length === 0
  return isNone ? unknown('not-observable', `${UNIT} starts no program`) : known(undefined)
}

/** Reads the same files, with /etc/sysctl.conf last. Of two equal lines, the later one sets the position. */
function readProcps(machine: MachineReading): Reading<readonly StoredAssignment[]> {
  if (!isThere(machine, PROCPS)) {
    return unknown(
      'not-observable',
      'systemd-sysctl is not installed, and cannot tell which other program sets parameters at boot',
    )
  }
  const files = readDirectories(machine, () => true, parseProcps)
  if (files.kind === 'unknown') return files
  const last = isThere(machine, PROCPS_LAST) ? readConf(machine, PROCPS_LAST) : known('')
  const ofLast = last.kind === 'unknown' ? last : parseProcps(last.value, PROCPS_LAST)
  if (ofLast.kind === 'unknown') return ofLast
  const assignments = new Map<string, StoredAssignment>()
  for (const assignment of [...files.value, ...ofLast.value]) {
    // An assignment is applied even if the parameter is excluded from patterns.
    if (assignment.value === undefined && assignments.has(assignment.key)) continue
    assignments.delete(assignment.key)
    assignments.set(assignment.key, assignment)
  }
  return known([...assignments.values()])
}

function parseSystemd(text: string, file: string): Reading<readonly StoredAssignment[]> {
  // NUL and a lone carriage return end a line for systemd, and blanks of C are blanks for procps and the kernel alone.
  const line = text.split('\n').findIndex((each) => /[\0\v\f]|\r(?!$)/.test(each))
  if (line >= 0) return unknown('invalid', `${file}:${line + 1}: a control character, which programs read differently`)
  return known(parseSysctlConf(text, file))
}

/** procps treats a key with a leading slash, or with a space after the minus, as another key. */
function parseProcps(text: string, file: string): Reading<readonly StoredAssignment[]> {
  const line = text.split('\n').findIndex((each) => withBlanksOfC(/^\s*(?:-?\/|-\s)/).test(each))
  if (line === -1) return parseSystemd(text, file)
  return unknown('invalid', `${file}:${line + 1}: cannot tell how procps reads a key after a slash or space`)
}

/** The assignments of the directories in reading order. */
function readDirectories(
  machine: MachineReading,
  isRead: (name: string) => boolean,
  parse: (text: string, file: string) => Reading<readonly StoredAssignment[]> = parseSystemd,
): Reading<readonly StoredAssignment[]> {
  const files = new Map<string, string>()
  const dangling = new Set<string>()
  for (const directory of directoriesOf(machine)) {
    const names = machine.list(directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) {
      if (!name.endsWith('.conf') || !isRead(name)) continue
      const path = `${directory}/${name}`
      // Whether a dangling link hides other files depends on the version of systemd.
      if (dangling.has(name)) return unknown('invalid', `a dangling link of the same name may hide ${path}`)
      if (files.has(name)) continue
      const seen = machine.stat(path)
      if (seen.kind === 'absent') dangling.add(name)
      else if (seen.kind !== 'present' || seen.state.kind !== 'directory') files.set(name, path)
    }
  }
  const assignments: StoredAssignment[] = []
  for (const path of [...files.values()].toSorted(compareFileNames)) {
    const text = readConf(machine, path)
    const parsed = text.kind === 'unknown' ? text : parse(text.value, path)
    if (parsed.kind === 'unknown') return parsed
    assignments.push(...parsed.value)
  }
  return known(assignments)
}

/** Directories without aliases, such as /lib as a link to /usr/lib. */
function directoriesOf(machine: MachineReading): readonly string[] {
  const usr = machine.realPath('/usr/lib/sysctl.d')
  const lib = machine.realPath('/lib/sysctl.d')
  const isSame = usr.kind === 'known' && lib.kind === 'known' && usr.value === lib.value
  return isSame ? SYSCTL_DIRECTORIES.slice(0, -1) : SYSCTL_DIRECTORIES
}

/** The file that ufw applies at start, after systemd-sysctl. @see ufw-framework(8) */
function readUfw(machine: MachineReading): Reading<readonly StoredAssignment[]> {
  const isOn = isUfwOn(machine.readText)
  if (isOn.kind === 'unknown' || !isOn.value) return isOn.kind === 'unknown' ? isOn : known([])
  const file = readUfwVariable(machine.readText, 'IPT_SYSCTL')
  if (file.kind === 'unknown') return file
  if (file.value === undefined || file.value === '') return known([])
  const path = file.value
  if (machine.stat(path).kind === 'absent') return known([])
  const text = readConf(machine, path)
  return text.kind === 'unknown' ? text : parseSystemd(text.value, path)
}

/** Text of a file; a link to /dev/null counts as empty. */
function readConf(machine: MachineReading, path: string): Reading<string> {
  const leadsTo = machine.realPath(path)
  return leadsTo.kind === 'known' && leadsTo.value === '/dev/null' ? known('') : textOf(machine, path)
}

function textOf({ readText }: MachineReading, path: string): Reading<string> {
  const text = readText(path)
  if (text.kind === 'unknown') return text
  return text.value === null ? unknown('not-observable', `${path}: it is gone`) : known(text.value)
}

function isThere(machine: MachineReading, path: string): boolean {
  return machine.stat(path).kind === 'present'
}
