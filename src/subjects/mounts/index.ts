import { dirname } from 'node:path'
import { resolveOptions, restrictionBehind } from '../../host/mount-options.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import type { Acceptance } from '../../model/acceptance.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import { unreadable } from '../../model/differences.ts'
import type { ExportsOf } from '../../model/exported.ts'
import {
  type Seen,
  absent,
  known,
  type NotApplicable,
  notApplicable,
  type Observation,
  present,
  unknown,
} from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { withBlanksOfC } from '../../settings/blanks.ts'
import {
  acceptedOptions,
  decideMount,
  type MountState,
  type DesiredOptions,
  type MountDesired,
  type MountAction,
} from './decide.ts'
import { MOUNTS } from './subject.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary: 'Absolute path of the mount point, without `.` or `..` components. A link is resolved.',
  },
  ensure: {
    kind: 'text',
    default: 'mounted',
    oneOf: ['mounted'],
    phase: 'early',
    summary:
      'Whether a separate file system is mounted, now and after a reboot. A directory of another file system or a bind mount of one does not count. A fix does not create or mount file systems.',
  },
  options: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'An option, such as `nodev` or `size=1048576k`.' },
    nonEmpty: true,
    accepts: 'set',
    phase: 'early',
    summary:
      'The effective options of the mount and of its file system together, as in /proc/self/mountinfo; of several mounts at the path, those of the visible one. A missing restriction has no option of its own: for `exec`, use `excludes: [noexec]`. A fix remounts. `noexec` on /tmp and /var/tmp breaks installers that execute files there.',
  },
  stored_options: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'An option, as in mount(8).' },
    nonEmpty: true,
    accepts: 'set',
    phase: 'early',
    summary:
      'The options after a reboot, with the precedence of systemd: of mount units with their drop-ins, of fstab, and of mounts that systemd creates itself, such as /dev/shm; without systemd, of fstab. The last of contradicting options wins. By default the same as `options`. A fix changes only the options in fstab, or writes a drop-in of a unit.',
  },
  device: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'Mounted device, as in /proc/self/mountinfo: `/dev/mapper/vg-home`, `tmpfs`.',
  },
  fstype: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The type of the mounted file system.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant', 'not-applicable'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'Verdict if no separate file system is mounted there: drift that a fix cannot correct, or, for rules about options only, compliant or not applicable. Stored options are compared in any case.',
  },
})

const exports = defineExports({
  mounted: { kind: 'boolean', summary: 'Whether a file system is mounted, or will be by an automount.' },
  device: { kind: 'text', summary: 'Mounted device.' },
  fstype: { kind: 'text', summary: 'The type of its file system.' },
  options: { kind: 'text', summary: 'The current options, comma-separated.' },
  stored_options: { kind: 'text', summary: 'The options after a reboot, comma-separated.' },
  stored_in: { kind: 'text', summary: 'The file and line that set them, as `FILE:LINE`.' },
})

/**
 * Captures the file system and its access options. Other options depend on the kernel version or the amount of memory.
 */
const mountCapture: ResourceCapture<MountState, undefined> = {
  look: {},
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent' }
    const { now, stored } = seen.state
    if (now.kind === 'unknown') return now
    if (now.value.kind === 'nothing') {
      const { value } = stored.kind === 'known' ? stored : { value: undefined }
      if (value?.kind === 'nothing') return { kind: 'absent' }
      return unknown('not-observable', `${name} is not mounted now, but may be after a reboot`)
    }
    if (now.value.kind === 'automount') {
      return unknown('not-observable', `${name} is an automount that is not mounted yet`)
    }
    const { source, fstype, options } = now.value
    if (stored.kind === 'unknown') {
      // The comparison of options also covers the stored ones.
      const properties = { device: source, fstype, if_absent: 'compliant' }
      return { kind: 'present', properties, unread: [unreadable('options', stored)] }
    }
    const then = stored.value.kind === 'stored' ? stored.value.options : undefined
    const storedOptions = then === undefined ? undefined : restrictionsIn(resolveOptions(then))
    const properties = {
      device: source,
      fstype,
      options: restrictionsIn(options),
      ...(storedOptions === undefined ? {} : { stored_options: storedOptions }),
    }
    const lasts = decideMount({ ensure: 'mounted', if_absent: 'drift', ...properties }, seen)
    if (lasts.drift.length === 0) return { kind: 'present', properties }
    const why = lasts.drift.map(({ note }) => note).filter((note) => note !== undefined)
    const notes = [`may be missing without a difference (if_absent: compliant): ${why.join('; ')}`]
    return { kind: 'present', properties: { ...properties, if_absent: 'compliant' }, notes }
  },
}

/** Mount points: a separate file system, with its current and stored options. */
export const mount: ResourceType = defineResource({
  type: 'mount',
  summary: 'Mount points: a separate file system, and its options now and after a reboot.',
  properties,
  rules: [
    { reads: ['options'], at: 'options', check: ({ options }) => optionsProblem('options', options) },
    {
      reads: ['stored_options'],
      at: 'stored_options',
      check: ({ stored_options: stored }) => optionsProblem('stored_options', stored),
    },
  ],
  hint: ({ options }) =>
    Array.isArray(options)
      ? 'a list under "options" must be complete; to require some options, use { includes: [...] }'
      : undefined,
  exports,
  drifts: ['ensure', 'options', 'device', 'fstype', 'stored_options'],
  neverSecret: ['ensure', 'fstype'],
  examples: [
    {
      title: 'A separate file system for /var/log',
      yaml: `
        mount:
          - /var/log:
              ensure: mounted`,
    },
    {
      title: 'Options, where something is mounted there at all',
      yaml: `
        mount:
          - /home:
              options: { includes: [nodev, nosuid] }
              if_absent: compliant`,
    },
    {
      title: 'What is mounted there, and that programs may be run from it',
      yaml: `
        mount:
          - /srv:
              device: { matches: "/dev/mapper/.*" }
              fstype: { one_of: [ext4, xfs] }
              options: { includes: [nodev], excludes: [noexec] }`,
    },
  ],
  platforms: ['linux'],
  observe: observeMount,
  decide: decideMount,
  hazards: () => ({ risk: RISKS.mount }),
  apply: applyMount,
  exportsOf: exportsOfMount,
  capture: mountCapture,
})

function optionsProblem(property: string, options: DesiredOptions | undefined): string | undefined {
  if (options === undefined) return undefined
  for (const option of new Set(Object.values(acceptedOptions(options)).flat(2).map(String))) {
    if (withBlanksOfC(/[,\s]/).test(option.replace(/"[^"]*"/g, '')))
      return `${property}: "${option}" is not a single option`
    const restriction = restrictionBehind(option)
    if (restriction === undefined) continue
    const advice = restriction === option ? 'name the options to check' : `use { excludes: [${restriction}] }`
    return `${property}: "${option}" restricts nothing; ${advice}`
  }
  return undefined
}

function exportsOfMount(_wanted: unknown, observed: Seen<MountState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return { mounted: false }
  const { now, stored } = observed.state
  const origin = stored.kind === 'known' && stored.value.kind === 'stored' ? stored.value.origin : undefined
  return {
    ...(now.kind === 'unknown' ? {} : { mounted: now.value.kind !== 'nothing' }),
    ...(now.kind === 'known' && now.value.kind === 'mounted'
      ? { device: now.value.source, fstype: now.value.fstype, options: now.value.options.join(',') }
      : {}),
    ...(stored.kind === 'known' && stored.value.kind === 'stored'
      ? { stored_options: resolveOptions(stored.value.options).join(',') }
      : {}),
    ...(origin === undefined ? {} : { stored_in: `${origin.file}:${origin.line}` }),
  }
}

type Machine = Pick<Target, 'open'> & HasFiles<'realPath' | 'lstat'>

/** Observes the current mount and the stored mount. */
function observeMount(
  target: Machine,
  { name, if_absent: ifAbsent }: Pick<MountDesired, 'if_absent'> & { readonly name: string },
): Observation<MountState> | NotApplicable {
  const real = target.files.realPath(name)
  const path = (real.kind === 'known' ? real.value : null) ?? name
  const now = real.kind === 'unknown' ? real : target.open(MOUNTS).now(path)
  const stored = target.open(MOUNTS).stored(path)
  // A system that is not running only has stored mounts.
  const isNothingNow = now.kind === 'known' ? now.value.kind === 'nothing' : now.needs === 'running-system'
  const isNothing = isNothingNow && stored.kind === 'known' && stored.value.kind === 'nothing'
  if (isNothing && ifAbsent === 'not-applicable') return notApplicable(`nothing is mounted at ${name}`)
  const isNowhere = now.kind === 'known' && now.value.kind === 'nothing' && now.value.within === '/'
  if (isNowhere && stored.kind === 'known' && stored.value.kind === 'nothing' && stored.value.why === undefined) {
    return absent()
  }
  return present({
    path,
    now: now.kind === 'known' ? known(now.value) : now,
    stored,
    fstab: target.files.lstat('/etc/fstab'),
  })
}

type Writer = Pick<Remediator, 'createDirectory' | 'writeFile' | 'open'>

/** Writes the stored options, reloads systemd, then remounts. A new fstab is verified before it is installed. */
async function applyMount(
  remediator: Writer,
  _wanted: unknown,
  { store, remount }: MountAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  const mounts = remediator.open(MOUNTS)
  if (store !== undefined) {
    const { file, text, before, attributes } = store
    const ready =
      before === undefined
        ? await remediator.createDirectory(dirname(file), { defaultMode: 0o755 })
        : await mounts.checkFstab(before, text, signal)
    if (ready.kind === 'failed') return ready
    const written = await remediator.writeFile(file, { kind: 'bytes', bytes: Buffer.from(text) }, attributes)
    if (written.kind === 'failed') return written
    const reloaded = await mounts.reload(signal)
    if (reloaded.kind === 'failed') return reloaded
  }
  return remount === undefined ? { kind: 'done' } : mounts.remount(remount, signal)
}

const RESTRICTIONS = ['ro', 'nodev', 'nosuid', 'noexec']

function restrictionsIn(options: readonly string[]): Acceptance<readonly string[], string> {
  const includes = RESTRICTIONS.filter((each) => options.includes(each))
  const excludes = RESTRICTIONS.filter((each) => !options.includes(each))
  return { ...(includes.length === 0 ? {} : { includes }), ...(excludes.length === 0 ? {} : { excludes }) }
}
