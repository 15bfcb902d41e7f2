import { trimBlanksOfC } from '../../settings/blanks.ts'
import { known, type Observation, present, type Reading, unknown } from '../../model/observation.ts'
import { attachmentPattern } from './apparmor-profiles/attachment.ts'
import { readStoredProfiles, type StoredProfiles } from './apparmor-profiles/stored.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { isEnabledUnit } from '../../settings/service-unit.ts'
import type { ApparmorState, LoadedProfile, Unconfined } from './apparmor.ts'
import type { MacDesired } from './wanted.ts'
import { PROCESSES } from '../processes/subject.ts'

const ENABLED = '/sys/module/apparmor/parameters/enabled'
const SECURITYFS = '/sys/kernel/security/apparmor'

type Machine = Pick<Target, 'probe' | 'open'> & HasFiles<'stat' | 'realPath'>

/** Observes the loaded profiles, the profile files, and programs that run without a profile. */
export function observeApparmor(machine: Machine, { confined }: MacDesired): Observation<ApparmorState> {
  const enabled = readEnabled(machine)
  // The stored profiles of an offline system are known without its kernel.
  if (enabled.kind === 'unknown' && enabled.needs === undefined) return enabled
  const loaded = readLoaded(machine)
  const stored = readStored(machine)
  const unconfined = confined === true ? findUnconfined(machine, loaded, stored) : known([])
  return present({ enabled: enabled.kind === 'unknown' ? enabled : enabled.value, loaded, stored, unconfined })
}

const UNIT = 'apparmor.service'

/** The profiles loaded at the next boot; none if systemd does not start their unit. */
function readStored(machine: Machine): Reading<StoredProfiles | null> {
  const { probe, files } = machine
  const stored = readStoredProfiles(machine)
  if (stored.kind === 'unknown' || stored.value === null) return stored
  const unit = files.stat(`/usr/lib/systemd/system/${UNIT}`)
  if (unit.kind !== 'present') return unit.kind === 'unknown' ? unit : stored
  const enabled = isEnabledUnit({ names: (directory) => probe.list(directory), real: files.realPath }, UNIT)
  if (enabled.kind === 'unknown') return enabled
  return enabled.value ? stored : known({ ...stored.value, notLoaded: `${UNIT} is not enabled` })
}

/** A kernel with module support always has /sys/module; without it /sys is hidden. */
function readEnabled({ probe }: Machine): Reading<ApparmorState['enabled']> {
  const text = probe.readText(ENABLED)
  if (text.kind === 'unknown') return text
  if (text.value !== null) return known(trimBlanksOfC(text.value) === 'Y' ? 'on' : 'off')
  const modules = probe.list('/sys/module')
  if (modules.kind === 'unknown') return modules
  if (modules.value !== null && modules.value.length > 0) return known('not-built')
  return unknown('not-observable', '/sys/module is not accessible')
}

/** One `NAME (MODE)` per line. The kernel calls `user` the mode that aa-status(8) calls `prompt`. */
function readLoaded({ probe }: Machine): Reading<readonly LoadedProfile[]> {
  const path = `${SECURITYFS}/profiles`
  const text = probe.readText(path)
  if (text.kind === 'unknown') return text
  if (text.value === null) return unknown('not-observable', `${path} does not exist: mount securityfs`)
  const profiles: LoadedProfile[] = []
  for (const line of text.value.split('\n').filter((each) => each !== '')) {
    const [, name, mode] = /^(.+) \((\w+)\)$/.exec(line) ?? []
    if (name === undefined || mode === undefined)
      return unknown('invalid', `${path}: ${line} is not a profile with its mode`)
    profiles.push({ name, mode: mode === 'user' ? 'prompt' : mode })
  }
  return known(profiles)
}

interface Attachment {
  readonly profile: string
  readonly pattern: RegExp
}

/** Programs with an attached restricting profile that run unconfined. */
function findUnconfined(
  machine: Machine,
  loaded: Reading<readonly LoadedProfile[]>,
  stored: Reading<StoredProfiles | null>,
): Reading<readonly Unconfined[]> {
  if (loaded.kind === 'unknown') return loaded
  const attachments = attachmentsOf(machine, loaded.value, stored)
  if (attachments.kind === 'unknown') return attachments
  const running = machine.open(PROCESSES).list()
  if (running.kind === 'unknown') return running
  if (running.value.unseen !== undefined) return running.value.unseen
  const found = new Map<string, { program: string; pids: number[]; profile: string }>()
  for (const { pid, executable } of running.value.processes) {
    if (executable.kind === 'unknown') return executable
    const program = executable.value?.path
    const profile = attachments.value.find(({ pattern }) => program !== undefined && pattern.test(program))?.profile
    if (program === undefined || profile === undefined) continue
    const label = readLabel(machine, pid)
    if (label.kind === 'unknown') return label
    if (label.value !== 'unconfined') continue
    const known = found.get(program)
    if (known === undefined) found.set(program, { program, pids: [pid], profile })
    else known.pids.push(pid)
  }
  return { kind: 'known', value: [...found.values()] }
}

/** With several security modules, the second file belongs to another one. `null` for a process that has ended. */
function readLabel({ probe, files: { stat } }: Machine, pid: number): Reading<string | null> {
  for (const file of ['attr/apparmor/current', 'attr/current']) {
    const label = probe.readText(`/proc/${pid}/${file}`)
    if (label.kind === 'known' && label.value === null) continue
    if (label.kind === 'known') return known(`${label.value}`.replace(/[\n\0]+$/, ''))
    return stat(`/proc/${pid}`).kind === 'absent' ? known(null) : label
  }
  if (stat(`/proc/${pid}`).kind === 'absent') return known(null)
  return unknown('not-observable', `/proc/${pid}/attr does not show the profile of the process`)
}

function attachmentsOf(
  { probe }: Machine,
  loaded: readonly LoadedProfile[],
  stored: Reading<StoredProfiles | null>,
): Reading<readonly Attachment[]> {
  const ofKernel = readKernelAttachments(probe)
  if (ofKernel.kind === 'unknown') return ofKernel
  const attachments: Attachment[] = []
  for (const { name, mode } of loaded) {
    if (name.includes('//') || mode === 'unconfined') continue
    if (!ofKernel.value.has(name) && stored.kind === 'unknown') return stored
    const ofFiles =
      stored.kind === 'known' ? stored.value?.profiles.find((each) => each.name === name)?.attachment : undefined
    const expression = ofKernel.value.get(name) ?? ofFiles ?? name
    if (!expression.startsWith('/')) continue
    const pattern = attachmentPattern(expression)
    if (pattern === undefined) return unknown('invalid', `unsupported attachment of ${name}: ${expression}`)
    attachments.push({ profile: name, pattern })
  }
  return known(attachments)
}

/**
 * Attachments reported by newer kernels: an unsupported expression is marked, and a profile without attachment reports its name.
 */
function readKernelAttachments(probe: Target['probe']): Reading<ReadonlyMap<string, string>> {
  const directory = `${SECURITYFS}/policy/profiles`
  const names = probe.list(directory)
  if (names.kind === 'unknown') return names
  const found = new Map<string, string>()
  for (const each of names.value ?? []) {
    const name = probe.readText(`${directory}/${each}/name`)
    if (name.kind === 'unknown') return name
    const attach = probe.readText(`${directory}/${each}/attach`)
    if (attach.kind === 'unknown') return attach
    const expression = attach.value?.replace(/\n$/, '')
    if (name.value === null || expression === undefined || expression === '<unknown>') continue
    found.set(name.value.replace(/\n$/, ''), expression)
  }
  return known(found)
}
