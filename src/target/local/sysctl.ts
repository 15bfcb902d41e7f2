import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ApplyOutcome } from '../../core/decision.ts'
import { known, type Observation, present, type Reading, type Unknown, unknown } from '../../core/observation.ts'
import { parseOsRelease } from '../os-release.ts'
import type { KernelParameterControl, KernelParameters } from '../sysctl.ts'
import {
  compareFileNames,
  parseSysctlConf,
  type StoredAssignment,
  type StoredSysctl,
  SYSCTL_DIRECTORIES,
} from '../sysctl-conf.ts'
import { readFileHead, readFollowedStat } from './file-reader.ts'
import { listNames } from './list-directory.ts'
import { provesAbsence, unreadable, writeFailure } from './system-error.ts'
import { readRealPath } from './tree-reader.ts'

/** Of a configuration file or a parameter; what is longer is not known. */
const MAX_BYTES = 1024 * 1024

/** Which every kernel has, so that one without it hides /proc/sys. */
const PROOF = 'proc/sys/kernel/ostype'

const SYSTEMD_SYSCTL = ['usr/lib/systemd/systemd-sysctl', 'lib/systemd/systemd-sysctl']
/** What applies the files of procps where there is no systemd, as sysvinit does. @see sysctl(8), --system */
const PROCPS = 'etc/init.d/procps'
const PROCPS_LAST = '/etc/sysctl.conf'
const MASKS = ['etc/systemd/system/systemd-sysctl.service', 'run/systemd/system/systemd-sysctl.service']

/** The parameters of the kernel and the files that set them, below a root that only tests choose. */
export function openKernelParameters(root = '/'): KernelParameters {
  let stored: Reading<StoredSysctl> | undefined
  return {
    read: (path) => readParameter(root, path),
    interfaces(family) {
      const names = namesIn(join(root, 'proc/sys/net', family, 'conf'))
      if (names.kind === 'unknown') return names
      if (names.value === undefined) return unknown('not-observable', `/proc/sys/net/${family}/conf is not there`)
      return known(names.value.filter((name) => name !== 'all' && name !== 'default').toSorted())
    },
    stored: () => (stored ??= readStored(root)),
    forget() {
      stored = undefined
    },
  }
}

/** What a fix may do to them. */
export function createKernelParameterControl(root = '/'): KernelParameterControl {
  return { set: async (path, value) => writeParameter(join(root, 'proc/sys', path), value) }
}

function writeParameter(path: string, value: string): ApplyOutcome {
  try {
    // Never created: what is not there is no parameter.
    const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_TRUNC)
    try {
      writeSync(file, `${value}\n`)
    } finally {
      closeSync(file)
    }
    return { kind: 'done' }
  } catch (error) {
    return writeFailure(error, `could not write ${value} to ${path}`)
  }
}

function readParameter(root: string, path: string): Observation<string> {
  const file = join(root, 'proc/sys', path)
  const seen = readFollowedStat(file)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') {
    const proof = readFollowedStat(join(root, PROOF))
    return proof.kind === 'present' ? seen : unknown('not-observable', '/proc/sys cannot be seen here')
  }
  const text = textOf(file)
  return text.kind === 'unknown' ? text : present(text.value.replace(/\n$/, ''))
}

function readStored(root: string): Reading<StoredSysctl> {
  const atStart = SYSTEMD_SYSCTL.some((path) => isThere(root, path)) ? readSystemd(root) : readProcps(root)
  if (atStart.kind === 'unknown') return atStart
  const ufw = readUfw(root)
  return ufw.kind === 'unknown' ? ufw : known({ lists: [atStart.value, ufw.value] })
}

function readSystemd(root: string): Reading<readonly StoredAssignment[]> {
  for (const path of MASKS) {
    const leadsTo = readRealPath(join(root, path))
    if (leadsTo.kind === 'unknown') return leadsTo
    if (leadsTo.value === '/dev/null') {
      return unknown('not-observable', `/${path} is masked, so nothing that is known sets parameters at boot`)
    }
  }
  return readDirectories(root, (name) => !name.startsWith('.'))
}

/** The same files, and one more that comes last. Where two lines are the same, the later one has the place of both. */
function readProcps(root: string): Reading<readonly StoredAssignment[]> {
  if (!isThere(root, PROCPS)) {
    return unknown('not-observable', 'there is no systemd-sysctl, and what else sets parameters at boot is not known')
  }
  const files = readDirectories(root, () => true, parseProcps)
  if (files.kind === 'unknown') return files
  const last = isThere(root, PROCPS_LAST) ? readConf(join(root, PROCPS_LAST)) : known('')
  const ofLast = last.kind === 'unknown' ? last : parseProcps(last.value, PROCPS_LAST)
  if (ofLast.kind === 'unknown') return ofLast
  const assignments = new Map<string, StoredAssignment>()
  for (const assignment of [...files.value, ...ofLast.value]) {
    // An assignment is carried out although a pattern shall pass the parameter by.
    if (assignment.value === undefined && assignments.has(assignment.key)) continue
    assignments.delete(assignment.key)
    assignments.set(assignment.key, assignment)
  }
  return known([...assignments.values()])
}

function parseSystemd(text: string, file: string): Reading<readonly StoredAssignment[]> {
  return known(parseSysctlConf(text, file))
}

/** To procps a key that starts with a slash, or with a space behind the minus, is another one than without. */
function parseProcps(text: string, file: string): Reading<readonly StoredAssignment[]> {
  const line = text.split('\n').findIndex((each) => /^\s*(?:-?\/|-\s)/.test(each))
  if (line === -1) return parseSystemd(text, file)
  return unknown(
    'invalid',
    `${file}:${line + 1}: what procps makes of a key with a slash or space before it is not known`,
  )
}

/** The assignments of the directories in the order in which they are read. */
function readDirectories(
  root: string,
  isRead: (name: string) => boolean,
  parse: (text: string, file: string) => Reading<readonly StoredAssignment[]> = parseSystemd,
): Reading<readonly StoredAssignment[]> {
  const files = new Map<string, string>()
  const dangling = new Set<string>()
  for (const directory of directoriesOf(root)) {
    const names = namesIn(join(root, directory))
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) {
      if (!name.endsWith('.conf') || !isRead(name)) continue
      const path = join(directory, name)
      // Whether a link that leads nowhere hides anything depends on the version of systemd.
      if (dangling.has(name)) return unknown('invalid', `${path} may be hidden by a link of the same name to nowhere`)
      if (files.has(name)) continue
      if (readFollowedStat(join(root, path)).kind === 'absent') dangling.add(name)
      else files.set(name, path)
    }
  }
  const assignments: StoredAssignment[] = []
  for (const path of [...files.values()].toSorted(compareFileNames)) {
    const text = readConf(join(root, path))
    const parsed = text.kind === 'unknown' ? text : parse(text.value, path)
    if (parsed.kind === 'unknown') return parsed
    assignments.push(...parsed.value)
  }
  return known(assignments)
}

/** Without those that are another one by another name, as /lib is where it is a link to /usr/lib. */
function directoriesOf(root: string): readonly string[] {
  const usr = readRealPath(join(root, '/usr/lib/sysctl.d'))
  const lib = readRealPath(join(root, '/lib/sysctl.d'))
  const isSame = usr.kind === 'known' && lib.kind === 'known' && usr.value === lib.value
  return isSame ? SYSCTL_DIRECTORIES.slice(0, -1) : SYSCTL_DIRECTORIES
}

/** The file that ufw applies when it starts, after systemd has applied its own. @see ufw-framework(8) */
function readUfw(root: string): Reading<readonly StoredAssignment[]> {
  const enabled = shellVariable(root, '/etc/ufw/ufw.conf', 'ENABLED')
  if (enabled.kind === 'unknown') return enabled
  if (enabled.value?.toLowerCase() !== 'yes') return known([])
  const file = shellVariable(root, '/etc/default/ufw', 'IPT_SYSCTL')
  if (file.kind === 'unknown') return file
  if (file.value === undefined || file.value === '') return known([])
  if (file.value.includes('$')) return unknown('invalid', `/etc/default/ufw: IPT_SYSCTL is ${file.value}`)
  const path = file.value
  if (readFollowedStat(join(root, path)).kind === 'absent') return known([])
  const text = readConf(join(root, path))
  return text.kind === 'unknown' ? text : known(parseSysctlConf(text.value, path))
}

function shellVariable(root: string, path: string, name: string): Reading<string | undefined> {
  if (readFollowedStat(join(root, path)).kind === 'absent') return known(undefined)
  const text = readConf(join(root, path))
  return text.kind === 'unknown' ? text : known(parseOsRelease(text.value).get(name))
}

/** The text of a file; a link to /dev/null is an empty one. */
function readConf(path: string): Reading<string> {
  const leadsTo = readRealPath(path)
  return leadsTo.kind === 'known' && leadsTo.value === '/dev/null' ? known('') : textOf(path)
}

function textOf(path: string): Reading<string> {
  const head = readFileHead(path, MAX_BYTES)
  if (head.kind === 'unknown') return head
  if (head.value.length === MAX_BYTES) return unknown('invalid', `${path}: longer than anybody writes it`)
  return known(Buffer.from(head.value).toString('utf8'))
}

function isThere(root: string, path: string): boolean {
  return readFollowedStat(join(root, path)).kind === 'present'
}

/** The names in a directory; undefined where it is proved that there is none. */
function namesIn(path: string): Reading<readonly string[] | undefined> | Unknown {
  try {
    return known(listNames(path))
  } catch (error) {
    return provesAbsence(error) ? known(undefined) : unreadable(error, path)
  }
}
