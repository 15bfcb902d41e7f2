import { posix } from 'node:path'
import { known, type Reading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { ini } from './formats/ini.ts'
import { lastOf } from './networkd.ts'
import { isEnabledUnit } from './service-unit.ts'
import type { ConfigFiles } from './surface.ts'

type Files = Pick<ConfigFiles, 'names' | 'text' | 'real'>

/** Of profiles with the same UUID, the one in the first directory applies. @see nm-settings-keyfile(5) */
const DIRECTORIES = ['/run', '/etc', '/usr/lib'].map((place) => `${place}/NetworkManager/system-connections`)

export interface Profile {
  readonly file: string
  /** Unknown if the file cannot be read, as without root. */
  readonly lines: Reading<readonly Assignment[]>
}

/** The profiles that NetworkManager reads; none if it is not enabled. @see nm-settings-keyfile(5) */
export function readProfiles(files: Files): Reading<readonly Profile[]> {
  const enabled = isEnabledUnit(files, 'NetworkManager.service')
  if (enabled.kind === 'unknown') return enabled
  const profiles: Profile[] = []
  const shadowed = new Set<string>()
  for (const directory of enabled.value ? DIRECTORIES : []) {
    const names = files.names(directory)
    if (names.kind === 'unknown') profiles.push({ file: directory, lines: names })
    const uuids: string[] = []
    for (const name of (names.kind === 'known' ? names.value : null) ?? []) {
      const file = `${directory}/${name}`
      const hidden = uuidHiddenBy(files, file)
      if (hidden !== undefined) uuids.push(hidden)
      if (!isProfile(directory, name)) continue
      const text = files.text(file)
      const lines = text.kind === 'unknown' ? text : ini.parse(text.value ?? '', file)
      const uuid = lines.kind === 'known' ? lastOf(lines.value, 'connection', 'uuid')?.value : undefined
      if (uuid !== undefined && shadowed.has(uuid)) continue
      if (uuid !== undefined) uuids.push(uuid)
      profiles.push({ file, lines })
    }
    for (const uuid of uuids) shadowed.add(uuid)
  }
  return known(profiles)
}

/** Outside of /etc, only names with the extension count. */
function isProfile(directory: string, name: string): boolean {
  if (name.endsWith('.nmconnection')) return !name.startsWith('.')
  return (
    directory.startsWith('/etc/') && /^(?!\.).*[^~]$/.test(name) && !/\.(?:nmmeta|bak|orig|rpm\w+|dpkg-\w+)$/.test(name)
  )
}

/** A link `UUID.nmmeta` to /dev/null hides a profile of later directories. */
function uuidHiddenBy(files: Files, path: string): string | undefined {
  if (!path.endsWith('.nmmeta')) return undefined
  const leadsTo = files.real(path)
  return leadsTo.kind === 'known' && leadsTo.value === '/dev/null' ? posix.basename(path, '.nmmeta') : undefined
}
