import { dirname } from 'node:path'
import type { Remediator } from '../../host/remediator.ts'
import type { Target } from '../../host/target.ts'
import { valuesNamed } from '../../model/acceptance.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { fieldsOf, integerOf, canonical } from '../../model/fields.ts'
import { formatValue } from '../../model/format-value.ts'
import { type Seen, known, type Observation, present, type Reading, unknown } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { trimBlanksOfC, withBlanksOfC } from '../../settings/blanks.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import { decideSysctl, type SysctlAction, type SysctlDesired, type SysctlState, type InterfaceValue } from './decide.ts'
import { type PerInterface, perInterface } from './interfaces.ts'
import type { KernelParameters } from './parameters.ts'
import { SYSCTL } from './subject.ts'
import { sysctlPath, winnerOf } from './sysctl-conf.ts'
import { asTaken } from './values.ts'

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

/** What it has now; that no file sets it is accepted where none does. */
const sysctlCapture: ResourceCapture<SysctlState, undefined> = {
  look: { value: '0', if_absent: 'compliant' },
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent' }
    const { value: now, stored } = seen.state
    if (now.kind === 'unknown') return now
    if (stored.kind === 'unknown') return stored
    const { value } = now
    const isStored = winnerOf(stored.value, sysctlPath(name)).kind !== 'none'
    const wanted = { name, value, if_absent: 'drift', if_unstored: isStored ? 'drift' : 'compliant' } as const
    const { drift, unknown: unread } = decideSysctl(wanted, seen)
    const [hidden] = unread
    if (hidden !== undefined) return unknown(hidden.reason, hidden.detail)
    const later = drift.find(({ property }) => property === 'stored')
    if (later !== undefined) {
      const where = later.path === undefined ? '' : ` on ${later.path}`
      const then = `${formatValue(later.observed)}${where} after the next boot (${later.note ?? ''})`
      return unknown('not-observable', `${name} is ${value} now, and ${then}: one resource cannot state both`)
    }
    // What an interface has beside it is accepted, too: the kernel joins both.
    const others = drift.flatMap(({ property, observed }) => (property === 'interface' ? [formatValue(observed)] : []))
    const values = [...new Set([value, ...others.toSorted()])]
    const properties = {
      value: values.length === 1 ? value : { one_of: values },
      ...(isStored ? {} : { if_unstored: 'compliant' }),
    }
    return { kind: 'present', properties }
  },
}

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

type Machine = Pick<Target, 'open'>

/** Looks at the parameter, at what it is on every interface, and at the files that set it when the system starts. */
function observeSysctl({ open }: Machine, { name }: Pick<SysctlDesired, 'name'>): Observation<SysctlState> {
  const parameters = open(SYSCTL)
  const path = sysctlPath(name)
  const seen = parameters.read(path)
  if (seen.kind === 'absent') return seen
  const scope = perInterface(path)
  if (seen.kind === 'unknown') {
    // What a system that does not run has stored is known without its kernel.
    if (seen.needs === undefined) return seen
    return present({ value: seen, all: seen, interfaces: seen, stored: parameters.stored() })
  }
  const value = known(canonical(seen.state))
  const interfaces = scope === undefined ? known([]) : readInterfaces(parameters, scope)
  const all = scope === undefined ? value : readAll(parameters, scope)
  return present({ value, all, interfaces, stored: parameters.stored() })
}

function readAll(parameters: KernelParameters, { family, parameter }: PerInterface): Reading<string> {
  return readParameter(parameters, `net/${family}/conf/all/${parameter}`)
}

/** Interfaces come and go: one that is gone while it is looked at has nothing that could be wrong. */
function readInterfaces(
  parameters: KernelParameters,
  { family, parameter }: PerInterface,
): Reading<readonly InterfaceValue[]> {
  const names = parameters.interfaces(family)
  if (names.kind === 'unknown') return names
  const values: InterfaceValue[] = []
  for (const name of names.value) {
    // What it carries comes from this machine.
    if (name === 'lo') continue
    const own = parameters.read(`net/${family}/conf/${name}/${parameter}`)
    if (own.kind === 'unknown') return own
    const forwarding = parameters.read(`net/${family}/conf/${name}/forwarding`)
    if (forwarding.kind === 'unknown') return forwarding
    if (own.kind === 'absent' || forwarding.kind === 'absent') continue
    values.push({ name, value: canonical(own.state), forwarding: canonical(forwarding.state) !== '0' })
  }
  return known(values)
}

function readParameter(parameters: KernelParameters, path: string): Reading<string> {
  const seen = parameters.read(path)
  if (seen.kind === 'present') return known(canonical(seen.state))
  return seen.kind === 'unknown' ? seen : unknown('not-observable', `/proc/sys/${path} does not exist`)
}

const READABLE = { uid: 0, gid: 0, mode: 0o644 } as const

/** Writes our file, and then the parameters as they are now, one after another up to the first that fails. */
async function applySysctl(
  remediator: Pick<Remediator, 'createDirectory' | 'writeFile' | 'open'>,
  _wanted: unknown,
  { store, set }: SysctlAction,
): Promise<ApplyOutcome> {
  if (store !== undefined) {
    const directory = await remediator.createDirectory(dirname(store.file), { defaultMode: 0o755 })
    if (directory.kind === 'failed') return directory
    const written = await remediator.writeFile(store.file, { kind: 'bytes', bytes: Buffer.from(store.text) }, READABLE)
    if (written.kind === 'failed') return written
  }
  for (const { path, value } of set) {
    const outcome = await remediator.open(SYSCTL).set(path, value)
    if (outcome.kind === 'failed') return outcome
  }
  return { kind: 'done' }
}
