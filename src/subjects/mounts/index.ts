import { withBlanksOfC } from '../../settings/blanks.ts'
import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { resolveOptions, restrictionBehind } from '../../host/mount-options.ts'
import { applyMount } from './apply.ts'
import { mountCapture } from './capture.ts'
import { acceptedOptions, decideMount, type MountState, type DesiredOptions } from './decide.ts'
import { observeMount } from './observe.ts'

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
