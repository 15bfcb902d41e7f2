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
    summary:
      'Absolute path of the mount point, without `.` or `..` components. Where it is a link, what the link leads to.',
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
      'The options that count now, those of the mount and of its file system together, as /proc/self/mountinfo has them; of several mounts at the path those of the one that can be seen. What is not restricted has no word of its own: for `exec` say `excludes: [noexec]`. A fix remounts. `noexec` on /tmp and /var/tmp breaks installers that run what they put there.',
  },
  stored_options: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'An option as mount(8) has it.' },
    nonEmpty: true,
    accepts: 'set',
    phase: 'early',
    summary:
      'The options after the next start: of mount units with their drop-ins, of fstab, and of what systemd mounts by itself, such as /dev/shm, in the order of systemd; where there is no systemd, of fstab. The last of those that take each other back counts. Where it is absent, it is what `options` says. A fix changes the options in fstab and nothing else there, or writes a drop-in of a unit.',
  },
  device: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'What is mounted there now, as /proc/self/mountinfo has it: `/dev/mapper/vg-home`, `tmpfs`.',
  },
  fstype: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The type of the file system that is mounted there now.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant', 'not-applicable'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'What it is if no file system of its own is mounted there: a difference that a fix cannot take away, or, for rules that are about the options alone, compliant or not applicable. What is stored for it is compared all the same.',
  },
})

const exports = defineExports({
  mounted: { kind: 'boolean', summary: 'Whether a file system is mounted, or will be by an automount.' },
  device: { kind: 'text', summary: 'What is mounted there.' },
  fstype: { kind: 'text', summary: 'The type of its file system.' },
  options: { kind: 'text', summary: 'The options that count now, parted by commas.' },
  stored_options: { kind: 'text', summary: 'The options after the next start, parted by commas.' },
  stored_in: { kind: 'text', summary: 'The file and line that say so, as `FILE:LINE`.' },
})

/** Mount points: a separate file system, with its current and stored options. */
export const mount: ResourceType = defineResource({
  type: 'mount',
  summary: 'Mount points: a file system of its own, its options now, and after the next start.',
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
      ? 'a list under "options" is all options that there are; say { includes: [...] } for those that must be among them'
      : undefined,
  exports,
  drifts: ['ensure', 'options', 'device', 'fstype', 'stored_options'],
  neverSecret: ['ensure', 'fstype'],
  examples: [
    {
      title: 'A file system of its own for /var/log',
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
    if (/[,\s]/.test(option.replace(/"[^"]*"/g, ''))) return `${property}: "${option}" is not one option`
    const restriction = restrictionBehind(option)
    if (restriction === undefined) continue
    const advice = restriction === option ? 'name the options that count' : `say { excludes: [${restriction}] }`
    return `${property}: "${option}" only says what there is anyway; ${advice}`
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
