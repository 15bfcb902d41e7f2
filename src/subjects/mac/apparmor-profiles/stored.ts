import { known, type Reading } from '../../../model/observation.ts'
import type { Target } from '../../../host/target.ts'
import { type DeclaredProfile, parseProfiles, type Includes } from './profile-file.ts'

/** Where profiles lie that are loaded when the system starts. */
export const PROFILE_DIRECTORY = '/etc/apparmor.d'

/** A profile that the next start loads. */
export interface StoredProfile extends DeclaredProfile {
  /** The file that is loaded; another one than `file` where that is included. */
  readonly source: string
  /** The link that makes all profiles of the file complain, with any flags. */
  readonly forcedBy?: string
}

/** What the next start loads. */
export interface StoredProfiles {
  readonly profiles: readonly StoredProfile[]
  /** Files that a link in `disable` keeps from being loaded. */
  readonly disabled: readonly string[]
  /** The texts of the files in which profiles stand, for changing them. */
  readonly texts: ReadonlyMap<string, string>
}

type Machine = Pick<Target, 'probe' | 'stat'>

// What package managers and editors leave. @see _aa_is_blacklisted in libapparmor
const LEFT_OVER = /^\.|~$|\.(?:dpkg-(?:new|old|dist|bak|remove)|pacsave|pacnew|rpmnew|rpmsave|orig|rej)$/

/** The profiles of all files; `null` where there is no such directory. */
export function readStoredProfiles(machine: Machine): Reading<StoredProfiles | null> {
  const names = filesIn(machine, PROFILE_DIRECTORY)
  if (names.kind === 'unknown' || names.value === null) return names as Reading<null>
  const texts = new Map<string, string>()
  const profiles: StoredProfile[] = []
  const disabled: string[] = []
  const includes = includesOf(machine, texts)
  for (const source of names.value) {
    const isDisabled = isLinked(machine, source, 'disable')
    if (isDisabled.kind === 'unknown') return isDisabled
    if (isDisabled.value !== undefined) {
      disabled.push(source)
      continue
    }
    const forced = isLinked(machine, source, 'force-complain')
    if (forced.kind === 'unknown') return forced
    const declared = readFile(machine, source, { texts, includes })
    if (declared.kind === 'unknown') return declared
    const { value: forcedBy } = forced
    for (const each of declared.value) {
      profiles.push(forcedBy === undefined ? { ...each, source } : { ...each, source, forcedBy, mode: 'complain' })
    }
  }
  return known({ profiles, disabled, texts })
}

/** What a link in one of the two directories does to a file; one that leads nowhere does nothing. */
function isLinked({ stat }: Machine, source: string, directory: string): Reading<string | undefined> {
  const path = `${PROFILE_DIRECTORY}/${directory}/${source.slice(source.lastIndexOf('/') + 1)}`
  const seen = stat(path)
  return seen.kind === 'unknown' ? seen : known(seen.kind === 'present' ? path : undefined)
}

function readFile(
  machine: Machine,
  file: string,
  { texts, includes }: { readonly texts: Map<string, string>; readonly includes: Includes },
): Reading<readonly DeclaredProfile[]> {
  const text = textOf(machine, file, texts)
  if (text.kind === 'unknown') return text
  return parseProfiles({ file, text: text.value }, includes)
}

function includesOf(machine: Machine, texts: Map<string, string>): Includes {
  const read: Includes['read'] = (written) => {
    const path = written.startsWith('/') ? written : `${PROFILE_DIRECTORY}/${written}`
    const seen = machine.stat(path)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known(null)
    const files = seen.state.kind === 'directory' ? filesIn(machine, path) : known([path])
    if (files.kind === 'unknown') return files
    const found: { file: string; text: string }[] = []
    for (const file of files.value ?? []) {
      const text = textOf(machine, file, texts)
      if (text.kind === 'unknown') return text
      found.push({ file, text: text.value })
    }
    return known(found)
  }
  return { read, idle: new Set() }
}

function textOf({ probe }: Machine, file: string, texts: Map<string, string>): Reading<string> {
  const kept = texts.get(file)
  if (kept !== undefined) return known(kept)
  const text = probe.readText(file)
  if (text.kind === 'unknown') return text
  texts.set(file, text.value ?? '')
  return known(text.value ?? '')
}

/** The files in a directory, directories left out; `null` where there is no such directory. */
function filesIn({ probe, stat }: Machine, directory: string): Reading<readonly string[] | null> {
  const names = probe.list(directory)
  if (names.kind === 'unknown' || names.value === null) return names
  const files: string[] = []
  for (const name of names.value) {
    if (LEFT_OVER.test(name)) continue
    const path = `${directory}/${name}`
    const seen = stat(path)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'present' && seen.state.kind !== 'directory') files.push(path)
  }
  return known(files)
}
