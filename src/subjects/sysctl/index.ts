import { trimBlanksOfC, withBlanksOfC } from '../../settings/blanks.ts'
import { valuesNamed } from '../../model/acceptance.ts'
import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { sysctlPath, winnerOf } from './sysctl-conf.ts'
import { applySysctl } from './apply.ts'
import { sysctlCapture } from './capture.ts'
import { decideSysctl, type SysctlAction, type SysctlDesired, type SysctlState } from './decide.ts'
import { observeSysctl } from './observe.ts'
import { fieldsOf, integerOf } from '../../model/fields.ts'
import { asTaken } from './values.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'

/** Parameters with the values that the kernel keeps until it starts anew. @see Documentation/admin-guide/sysctl/kernel.rst */
const ONE_WAY: ReadonlyMap<string, RegExp> = new Map([
  ['kernel/modules_disabled', /^1$/],
  ['kernel/kexec_load_disabled', /^1$/],
  ['kernel/unprivileged_bpf_disabled', /^1$/],
  // @see Documentation/admin-guide/LSM/Yama.rst
  ['kernel/yama/ptrace_scope', /^3$/],
])

/** What a policy may say about a parameter of the kernel. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'The parameter, with dots or slashes; a dot in the name of an interface is a slash among dots, as in `net.ipv4.conf.eth0/100.rp_filter`.',
  },
  value: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    accepts: 'fields',
    phase: 'early',
    summary:
      'What the parameter has now (`value`), on every network interface but `lo` where it is one of `net.ipv4.conf` or `net.ipv6.conf` named for `all` or `default` (`interface`, joined with `all` as the kernel does it), and after the next start (`stored`). Stored is what systemd-sysctl reads, what ufw sets if it is enabled, the forwarding that systemd-networkd enables, and router advertisements where systemd-networkd, a profile of NetworkManager or ifupdown takes them; not boot arguments, credentials or other network managers. Without systemd it is what sysctl of procps reads with `--system`; where neither is there, what is stored is an error, not a guess. Fields are parted by spaces; numbers may be hexadecimal.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary: 'Verdict if the kernel has no such parameter: drift that cannot be fixed, or compliant.',
  },
  if_unstored: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'What it is if no file sets it when the system starts: a difference, or compliant, where what the kernel starts with will do. A file that sets it has to set what is accepted either way.',
  },
})

/** What later resources can read. */
const exports = defineExports({
  value: { kind: 'text', summary: 'Runtime value.' },
  stored: { kind: 'text', summary: 'Value that the files set at boot.' },
  stored_in: { kind: 'text', summary: 'The file and line that do so, as `FILE:LINE`.' },
})

/** Parameters of the kernel: now, on every interface, and after the next start. */
export const sysctl: ResourceType = defineResource({
  type: 'sysctl',
  summary: 'Parameters of the kernel: now, on every network interface, and after the next start.',
  properties,
  rules: [
    { reads: ['name'], at: 'name', check: ({ name }) => (name === undefined ? undefined : nameProblem(name)) },
    { reads: ['value'], at: 'value', check: ({ value }) => (value === undefined ? undefined : valueProblem(value)) },
  ],
  exports,
  drifts: ['ensure', 'value', 'interface', 'stored'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'Addresses of sources are checked, on every interface and after a restart, too',
      yaml: `
        sysctl:
          - net.ipv4.conf.all.rp_filter:
              value: { one_of: [1, 2] }`,
    },
    {
      title: 'At least this, where the kernel can do it at all',
      yaml: `
        sysctl:
          - kernel.yama.ptrace_scope:
              value: { at_least: 1 }
              if_absent: compliant`,
    },
  ],
  platforms: ['linux'],
  observe: observeSysctl,
  decide: decideSysctl,
  hazards: ({ name }, { set }) => ({
    risk: /^net[./]/.test(name) ? RISKS.network : undefined,
    irreversible: keptBecause(set),
  }),
  apply: applySysctl,
  exportsOf: exportsOfSysctl,
  exportsAfter: exportsOfSysctlAfter,
  capture: sysctlCapture,
})

function nameProblem(name: string): string | undefined {
  const parts = sysctlPath(name).split('/')
  if (withBlanksOfC(/[*?[\]{}\\=#;\s\0]/).test(name))
    return 'name must be one parameter, without patterns, spaces, "=", "#" and ";"'
  if (name.startsWith('-') || parts.length < 2 || parts.includes('..')) {
    return 'name must be a parameter below /proc/sys, such as kernel.sysrq'
  }
  return undefined
}

function valueProblem(value: SysctlDesired['value']): string | undefined {
  const accepted = acceptanceOf(value)
  if (valuesNamed(accepted).some((each) => /[\n\r\0]/.test(each))) return 'value must be a single line'
  const { at_least: atLeast, at_most: atMost } = accepted
  if ([atLeast, atMost].some((bound) => bound !== undefined && !isWhole(bound))) {
    return 'value has a bound that is not an integer'
  }
  return undefined
}

function isWhole(value: string): boolean {
  return fieldsOf(value).length === 1 && integerOf(trimBlanksOfC(value)) !== undefined
}

function exportsOfSysctl({ name }: SysctlDesired, observed: Seen<SysctlState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return {}
  const { value: seen, stored } = observed.state
  const now = seen.kind === 'known' ? { value: seen.value } : {}
  const winner = stored.kind === 'known' ? winnerOf(stored.value, sysctlPath(name)) : undefined
  if (winner?.kind !== 'set') return now
  const { file, line } = winner.assignment
  return { ...now, stored: winner.assignment.value, stored_in: `${file}:${line}` }
}

/** What the kernel has then; which file sets it at the next start is looked at only when it does. */
function exportsOfSysctlAfter(
  { name }: SysctlDesired,
  observed: Seen<SysctlState>,
  { set }: SysctlAction,
): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return {}
  const { value } = observed.state
  const own = set.find(({ path }) => path === sysctlPath(name))
  if (value.kind === 'unknown') return {}
  return { value: own === undefined ? value.value : asTaken(own.value, value.value) }
}

/** Why values that are to be set now cannot be taken back; undefined where they can. */
export function keptBecause(set: readonly { readonly path: string; readonly value: string }[]): string | undefined {
  const isKept = set.some(({ path, value }) => ONE_WAY.get(path)?.test(trimBlanksOfC(value)) === true)
  return isKept ? 'the kernel keeps this value until reboot' : undefined
}
