import { baseName } from '../../../model/file-name.ts'
import { known, type Reading, readEach, mapReading } from '../../../model/observation.ts'
import type { HasFiles, Target } from '../../../host/target.ts'
import { type DeclaredProfile, parseProfiles, type Includes } from './profile-file.ts'

/** Directory of the profiles that are loaded at boot. */
export const PROFILE_DIRECTORY = '/etc/apparmor.d'

/** Profile loaded at the next boot. */
export interface StoredProfile extends DeclaredProfile {
  /** The file that is loaded; differs from `file` for an included profile. */
  readonly source: string
  /** Link that sets all profiles of the file to complain mode, regardless of flags. */
  readonly forcedBy?: string
}

/** Profiles loaded at the next boot. */
export interface StoredProfiles {
  readonly profiles: readonly StoredProfile[]
  /** Files that a link in `disable` excludes from loading. */
  readonly disabled: readonly string[]
  /** Texts of the files with profiles, for edits. */
  readonly texts: ReadonlyMap<string, string>
  /** Why none of them is loaded. */
  readonly notLoaded?: string
}

type Machine = Pick<Target, 'probe'> & HasFiles<'stat'>

// Leftovers of package managers and editors. @see _aa_is_blacklisted in libapparmor
const LEFT_OVER = /^\.|~$|\.(?:dpkg-(?:new|old|dist|bak|remove)|pacsave|pacnew|rpmnew|rpmsave|orig|rej)$/

/** Profiles of all files; `null` if the directory does not exist. */
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

/** Link to a file in one of the two directories; a dangling link has no effect. */
function isLinked({ files: { stat } }: Machine, source: string, directory: string): Reading<string | undefined> {
  const path = `${PROFILE_DIRECTORY}/${directory}/${baseName(source)}`
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
    const seen = machine.files.stat(path)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known(null)
    const files = seen.state.kind === 'directory' ? filesIn(machine, path) : known([path])
    if (files.kind === 'unknown') return files
    return readEach(files.value ?? [], (file) => mapReading(textOf(machine, file, texts), (text) => ({ file, text })))
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

/** Files of a directory, without directories; `null` if it does not exist. */
function filesIn({ probe, files: { stat } }: Machine, directory: string): Reading<readonly string[] | null> {
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
