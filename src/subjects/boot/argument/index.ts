import { withBlanksOfC } from '../../../settings/blanks.ts'
import { RISKS } from '../../../model/risk.ts'
import { alwaysThere } from '../../shared/always-there.ts'
import { valuesNamed } from '../../../model/acceptance.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import type { Seen } from '../../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { occurrencesOf } from '../settings/command-line.ts'
import { RUNNING } from '../settings/sources.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'
import { applyBootArgument } from './apply.ts'
import { decideBootArgument } from './decide.ts'
import type { BootArgumentDesired } from './judge.ts'
import { observeBootArgument } from './observe.ts'
import type { BootArgumentState } from './plan.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: {
      expression: '[A-Za-z0-9_][A-Za-z0-9_.-]*',
      describes: 'the name of an argument, such as "audit" or "module.sig_enforce", without its value',
    },
    phase: 'early',
    summary: 'The argument, without its value; `-` and `_` are the same.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary: 'Whether the argument must be present, with any value or without one, or absent.',
  },
  value: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'fields',
    phase: 'early',
    summary:
      'What stands behind `=`, in each place in which the argument stands: the last one usually counts, but not for every argument. It is compared with how the running kernel was started (`value`: /proc/cmdline, as the kernel parses it, without what is behind `--`), with every entry that can be started (`entries`: the linux lines of grub.cfg and custom.cfg in submenus, too; files in loader/entries with what grubenv has for `$kernelopts`; the command line within unified kernel images), and with what future entries are made from (`source`: GRUB_CMDLINE_LINUX and GRUB_CMDLINE_LINUX_DEFAULT of /etc/default/grub and its drop-ins, kernel/cmdline, zipl.conf). Entries that start another system or a test of memory do not count.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'compliant'],
    default: 'create',
    phase: 'early',
    parameter: true,
    summary: 'Verdict if the argument is absent: drift that can be fixed, or compliant.',
  },
  recovery: {
    kind: 'boolean',
    default: true,
    phase: 'early',
    parameter: true,
    summary:
      'Whether recovery and rescue entries are checked, too. GRUB gives them GRUB_CMDLINE_LINUX only, so a fix writes there.',
  },
})

const exports = defineExports({
  value: {
    kind: 'text',
    summary: 'Last value on the command line of the running kernel; empty without a value, undefined if absent.',
  },
})

export const bootArgument: ResourceType = defineResource({
  type: 'boot_argument',
  summary:
    'Kernel arguments: of the running kernel, in every boot entry, and in the sources that boot entries are generated from.',
  properties,
  rules: [
    {
      summary: '`value` and `if_absent` cannot be combined with `ensure: absent`.',
      reads: ['ensure', 'value', 'if_absent'],
      at: 'ensure',
      check({ ensure, value, if_absent: ifAbsent }) {
        if (ensure !== 'absent' || (value === undefined && ifAbsent !== 'compliant')) return undefined
        return 'ensure: absent cannot be combined with value; use value: { not: ... } with if_absent: compliant'
      },
    },
    { reads: ['name'], at: 'name', check: ({ name = '' }) => nameProblem(name) },
    {
      reads: ['value'],
      at: 'value',
      check: ({ value }) => (value === undefined ? undefined : valueProblem(value)),
    },
  ],
  exports,
  drifts: ['value', 'entries', 'source'],
  examples: [
    {
      title: 'Auditing from the first process on, with a backlog for events before auditd starts',
      yaml: `
        boot_argument:
          - audit:
              value: 1
          - audit_backlog_limit:
              value: { at_least: 8192 }`,
    },
    {
      title: 'No argument turns SELinux off',
      yaml: `
        boot_argument:
          - selinux:
              value: { not: 0 }
              if_absent: compliant`,
    },
    {
      title: 'No argument of this name, not even in recovery entries',
      yaml: `
        boot_argument:
          - init:
              ensure: absent`,
    },
  ],
  platforms: ['linux'],
  observe: (target) => observeBootArgument(target),
  decide: (wanted, observed) => decideBootArgument(wanted, alwaysThere(observed)),
  hazards: () => ({ risk: RISKS.boot }),
  apply: applyBootArgument,
  exportsOf: exportsOfBootArgument,
})

/** The generator of the entries adds these arguments itself. */
function nameProblem(name: string): string | undefined {
  if (!['root', 'ro', 'rw', 'BOOT_IMAGE', 'initrd'].includes(name)) return undefined
  return `${name} is set by the menu generator, for each entry separately`
}

function valueProblem(value: Exclude<BootArgumentDesired['value'], undefined>): string | undefined {
  const isWrong = valuesNamed(acceptanceOf(value)).some((each) => withBlanksOfC(/[\s"]/).test(each))
  return isWrong ? 'value contains spaces or quotes, which separate arguments' : undefined
}

function exportsOfBootArgument(
  { name }: Pick<BootArgumentDesired, 'name'>,
  observed: Seen<BootArgumentState>,
): ExportsOf<typeof exports> {
  const running = observed.kind === 'absent' ? undefined : observed.state.files.text(RUNNING)
  if (running?.kind !== 'known' || running.value === null) return {}
  const last = occurrencesOf(name, running.value).at(-1)
  return { value: last === undefined ? undefined : (last.value ?? '') }
}
