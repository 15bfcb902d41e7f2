import { join } from 'node:path'
import { absent, known, type Observation, present, type Reading } from '../../core/observation.ts'
import {
  LOGIN_DEFS,
  type ModuleSettings,
  type PamSetting,
  parseSettings,
  schemeOfLoginDefs,
  SETTINGS_DIRECTORIES,
  settingsOf,
} from '../../target/pam/settings.ts'
import { enabledProfiles, parseProfile, PROFILE_DIRECTORY, PROFILE_RECORDS } from '../../target/pam/profiles.ts'
import { expandPam, moduleName, type PamEntry } from '../../target/pam/stack.ts'
import type { Target } from '../../target/target.ts'
import type { PamSettings } from './arguments.ts'
import type { PamProfile, PamState, PamWanted, StackTool } from './decide.ts'
import { findModule, openPamFiles, readFirst } from '../../target/pam/files.ts'

type Machine = Pick<Target, 'stat' | 'probe'>

/** Looks at the stack of the service, and at the configuration files of the module where something is wanted of its arguments. */
export function observePam(
  machine: Machine,
  { name, type, module, with: given = [], arguments: wanted }: PamWanted,
): Observation<PamState> {
  const stack = expandPam(openPamFiles(machine), name, type)
  if (stack.kind === 'unknown') return stack
  if (stack.value === null) return absent()
  const lines = stack.value.entries.filter((entry) => entry.kind === 'module' && entry.name === moduleName(module))
  const settings = wanted === undefined ? [] : lines.map((line) => readSettings(machine, line))
  const tool = findTool(machine)
  const isThere = lines.some((line) => given.every((each) => line.arguments.includes(each)))
  const profiles = tool === 'pam-auth-update' && !isThere ? readProfiles(machine, type) : known([])
  return present({ stack: stack.value, settings, tool, profiles })
}

/** What pam-auth-update can put into the stack of a type and has not. */
function readProfiles({ probe }: Machine, type: PamWanted['type']): Reading<readonly PamProfile[]> {
  const record = probe.readText(join(PROFILE_RECORDS, type))
  if (record.kind === 'unknown') return record
  const enabled = enabledProfiles(record.value ?? '')
  const names = probe.list(PROFILE_DIRECTORY)
  if (names.kind === 'unknown') return names
  const profiles: PamProfile[] = []
  for (const name of names.value ?? []) {
    if (enabled.includes(name) || !/^[A-Za-z0-9][\w.+-]*$/.test(name)) continue
    const text = probe.readText(join(PROFILE_DIRECTORY, name))
    if (text.kind === 'unknown') return text
    profiles.push({ name, lines: parseProfile(text.value ?? '').filter((line) => line.type === type) })
  }
  return known(profiles)
}

/** What edits stacks here, so that nobody else should. */
function findTool({ stat }: Machine): StackTool {
  if (stat('/usr/sbin/pam-auth-update').kind === 'present') return 'pam-auth-update'
  return stat('/usr/bin/authselect').kind === 'present' ? 'authselect' : 'none'
}

/** What a line of a module has from the configuration files of the module, in their order. */
function readSettings(machine: Machine, line: PamEntry): Reading<PamSettings> {
  if (line.name === 'pam_unix') {
    const text = machine.probe.readText(LOGIN_DEFS)
    return text.kind === 'unknown' ? text : known({ lines: schemeOfLoginDefs(text.value ?? '') })
  }
  const of = settingsOf(line.name)
  const isRead = readsFiles(machine, line, of)
  if (isRead.kind === 'unknown') return isRead
  const [main] = of.files
  if (main === undefined || !isRead.value) return known({ lines: [] })
  const given = of.fileArgument === undefined ? undefined : argumentNamed(line, of.fileArgument)
  const dropIns = readDropIns(machine, of)
  if (dropIns.kind === 'unknown') return dropIns
  const paths = given === undefined ? SETTINGS_DIRECTORIES.map((directory) => join(directory, main)) : [given]
  const file = readFirst(machine, paths)
  if (file.kind === 'unknown') return file
  const lines = file.value === null ? [] : parseSettings(file.value.text, file.value.path)
  // A file of the vendor is not ours to change: one of the same name in /etc hides it.
  const path = paths[0] ?? ''
  return known({ lines: [...dropIns.value, ...lines], own: { path, text: file.value?.text ?? '' } })
}

function argumentNamed({ arguments: given }: PamEntry, name: string): string | undefined {
  return given.findLast((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** Older versions of some modules know no file: then what stands in one counts for nothing. */
function readsFiles(machine: Machine, { module }: PamEntry, { marker }: ModuleSettings): Reading<boolean> {
  if (marker === undefined) return known(true)
  const path = findModule(machine, module)
  if (path.kind === 'unknown') return path
  if (path.value === null) return known(false)
  const program = machine.probe.readText(path.value)
  return program.kind === 'unknown' ? program : known(program.value?.includes(marker) === true)
}

function readDropIns({ probe }: Machine, { directory }: ModuleSettings): Reading<readonly PamSetting[]> {
  if (directory === undefined) return known([])
  const path = join(SETTINGS_DIRECTORIES[0], directory)
  const names = probe.list(path)
  if (names.kind === 'unknown') return names
  const lines: PamSetting[] = []
  for (const name of names.value ?? []) {
    if (!name.endsWith('.conf')) continue
    const text = probe.readText(join(path, name))
    if (text.kind === 'unknown') return text
    lines.push(...parseSettings(text.value ?? '', join(path, name)))
  }
  return known(lines)
}
