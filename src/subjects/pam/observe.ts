import { join } from 'node:path'
import { absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import { enabledProfiles, parseProfile, PROFILE_DIRECTORY, PROFILE_RECORDS, type PamView } from './stack/profiles.ts'
import { expandPam, moduleName, type PamEntry } from './stack/stack.ts'
import { words } from '../../settings/formats/words.ts'
import { pwquality, readPwqualityFiles } from './settings/pwquality.ts'
import type { PamSettings } from './arguments.ts'
import type { PamProfile, PamState, PamDesired, StackTool } from './model.ts'
import { observeServices, type PamServices } from './every-service.ts'
import { type FileProbe, lookAt } from '../../settings/look.ts'
import { LOGIN_DEFS } from './login-defs.ts'
import { type ModuleSettings, schemeOfLoginDefs, SETTINGS_DIRECTORIES, settingsOf } from './settings.ts'
import { readWhyNoPam } from './use-pam.ts'
import { findModule, openPamFiles, readFirst } from './stack/files.ts'

export function observeEvery(machine: FileProbe, wanted: PamDesired): Observation<PamServices> {
  return observeServices(lookAt(machine), (name) => observeService(machine, { ...wanted, name }))
}

/** Observes the stack of the service, and whether sshd uses PAM. */
export function observeService(machine: FileProbe, wanted: PamDesired): Observation<PamState> {
  const seen = observeStack(lookAt(machine), wanted)
  if (seen.kind !== 'present' || wanted.name !== 'sshd') return seen
  return present({ ...seen.state, whyNoPam: readWhyNoPam(machine) })
}

/** Observes the stack of the service, and the module's configuration files if the policy sets arguments. */
export function observeStack(
  machine: PamView,
  { name, type, module, with: given = [], arguments: wanted }: PamDesired,
): Observation<PamState> {
  const stack = expandPam(openPamFiles(machine), name, type)
  if (stack.kind === 'unknown') return stack
  if (stack.value === null) return absent()
  const lines = stack.value.entries.filter((entry) => entry.kind === 'module' && entry.name === moduleName(module))
  const settings = wanted === undefined ? [] : lines.map((line) => readSettings(machine, line))
  const tool = findTool(machine)
  const isThere = lines.some((line) => given.every((each) => line.arguments.includes(each)))
  const profiles = tool === 'pam-auth-update' && !isThere ? readProfiles(machine, type) : known([])
  return present({
    stack: stack.value,
    settings,
    tool,
    profiles,
    offer: { kind: 'not-asked' },
    whyNoPam: known(undefined),
  })
}

/** The disabled profiles of pam-auth-update for a type. */
function readProfiles({ probe }: PamView, type: PamDesired['type']): Reading<readonly PamProfile[]> {
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

/** The tool that manages the stacks on this host. */
function findTool({ files: { stat } }: PamView): StackTool {
  if (stat('/usr/sbin/pam-auth-update').kind === 'present') return 'pam-auth-update'
  return stat('/usr/bin/authselect').kind === 'present' ? 'authselect' : 'none'
}

/** The settings from the configuration files for a line of the module, in file order. */
function readSettings(machine: PamView, line: PamEntry): Reading<PamSettings> {
  const { probe } = machine
  if (line.name === 'pam_unix') {
    const text = probe.readText(LOGIN_DEFS)
    return text.kind === 'unknown' ? text : known({ lines: schemeOfLoginDefs(text.value ?? '') })
  }
  const of = settingsOf(line.name)
  const isRead = readsFile(machine, line, of)
  if (isRead.kind === 'unknown') return isRead
  if (of.file === undefined || !isRead.value) return known({ lines: [] })
  const given = of.fileArgument === undefined ? undefined : argumentNamed(line, of.fileArgument)
  const [path = '', ...others] =
    given === undefined ? SETTINGS_DIRECTORIES.map((directory) => join(directory, of.file ?? '')) : [given]
  const file = readFirst({ text: (each) => probe.readText(each) }, [path, ...others])
  if (file.kind === 'unknown') return file
  const text = file.value?.text ?? ''
  const lines =
    of.surface === pwquality
      ? readPwqualityFiles({ text: (path) => probe.readText(path), names: (path) => probe.list(path) })
      : words.parse(text, file.value?.path ?? path)
  // A fix does not edit a vendor file: a file of the same name in /etc shadows it.
  return lines.kind === 'unknown' ? lines : known({ lines: lines.value, own: { path, text } })
}

function argumentNamed({ arguments: given }: PamEntry, name: string): string | undefined {
  return given.findLast((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** Older versions of some modules have no configuration file; they ignore its settings. */
function readsFile(machine: PamView, { module }: PamEntry, { marker }: ModuleSettings): Reading<boolean> {
  if (marker === undefined) return known(true)
  const path = findModule(machine, module)
  if (path.kind === 'unknown') return path
  if (path.value === null) return known(false)
  const program = machine.probe.readText(path.value)
  return program.kind === 'unknown' ? program : known(program.value?.includes(marker) === true)
}
