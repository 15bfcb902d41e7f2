import { trimBlanksOfC, withBlanksOfC } from '../../settings/blanks.ts'
import { posix } from 'node:path'
import { known, type Reading } from '../../model/observation.ts'
import type { MachineReading } from '../../host/live/machine-reading.ts'
import { expandGlob } from '../../settings/glob.ts'
import { unitFilesOf } from '../../settings/look.ts'
import { ACCEPT_RA } from './networkd.ts'
import type { StoredAssignment } from './sysctl-conf.ts'

const MAIN = '/etc/network/interfaces'
const PROGRAMS = ['/usr/sbin/ifup', '/sbin/ifup']

/** What ifupdown writes without an option, by the method of the address family inet6. @see interfaces(5), accept_ra */
const DEFAULTS: Readonly<Record<string, string>> = { auto: '2', dhcp: '1' }

/** Words that begin a stanza, which end the one before. */
const STANZA = withBlanksOfC(
  /^(?:iface|auto|allow-\S+|no-auto-down|no-scripts|mapping|template|rename|source|source-directory)$/,
)

/** The router advertisements that ifupdown of Debian accepts when it configures interfaces, after sysctl.d was applied. */
export function readParametersOfIfupdown(machine: MachineReading): Reading<readonly StoredAssignment[]> {
  if (PROGRAMS.every((path) => machine.stat(path).kind === 'absent')) return known([])
  const found: StoredAssignment[] = []
  const files = new Set([MAIN])
  for (const file of files) {
    if (machine.stat(file).kind === 'absent') continue
    const text = machine.readText(file)
    if (text.kind === 'unknown') return text
    const lines = (text.value ?? '').split('\n').map((line) => trimBlanksOfC(line).split(/[ \t]+/))
    found.push(...acceptedIn(lines, file))
    const sourced = sourcedBy(machine, lines, file)
    if (sourced.kind === 'unknown') return sourced
    for (const each of sourced.value) files.add(each)
  }
  return known(found)
}

type Lines = readonly (readonly string[])[]

function acceptedIn(lines: Lines, file: string): readonly StoredAssignment[] {
  const found: StoredAssignment[] = []
  let isIpv6 = false
  for (const [index, [word = '', value = '', family, method = '']] of lines.entries()) {
    const assign = (written: string): StoredAssignment => {
      const remedy = `set accept_ra 0 in each stanza of inet6 in ${file}`
      return { key: ACCEPT_RA, value: written, file, line: index + 1, remedy }
    }
    if (word === 'accept_ra' && isIpv6) found.splice(-1, 1, assign(value))
    if (!STANZA.test(word)) continue
    isIpv6 = word === 'iface' && family === 'inet6'
    if (isIpv6) found.push(assign(DEFAULTS[method] ?? '0'))
  }
  return found.filter(({ value }) => value !== '0')
}

/** Paths are relative to the directory of the file; in a directory, names with a dot are passed over. */
function sourcedBy(machine: MachineReading, lines: Lines, file: string): Reading<readonly string[]> {
  const found: string[] = []
  for (const [word = '', ...paths] of lines) {
    if (word !== 'source' && word !== 'source-directory') continue
    for (const path of paths) {
      const pattern = posix.resolve(posix.dirname(file), path)
      const names = expandGlob(unitFilesOf(machine), word === 'source' ? pattern : `${pattern}/*`)
      if (names.kind === 'unknown') return names
      found.push(...names.value.filter((name) => word === 'source' || /\/[\w-]+$/.test(name)))
    }
  }
  return known(found)
}
