import type { HasFiles, Target } from '../../host/target.ts'
import { unreadable } from '../../model/differences.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { type Seen, absent, type Observation, present, type Unknown, unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { lastingUnits } from '../shared/lasting-units.ts'
import { oneOrSeveral } from '../shared/one-or-several.ts'
import { decideProcess, type ProcessState, type ProcessDesired, type ObservedProcess } from './decide.ts'
import { identityOf } from './identity.ts'
import type { Process } from './processes.ts'
import { PROCESSES } from './subject.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    pattern: { expression: String.raw`/.*[^/]|[^/]+`, describes: 'a name without a slash, or an absolute path' },
    summary:
      'The program: its name, whole and not only the 15 bytes that the kernel keeps of it, or its absolute path; a script goes by its own name and path as well as by those of its interpreter. A process can give itself another name or other arguments, but not another path of its program.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['running', 'absent'],
    default: 'running',
    phase: 'early',
    summary: 'Whether a matching process exists. Zombie processes are ignored.',
  },
  count: {
    kind: 'integer',
    minimum: 1,
    accepts: 'number',
    phase: 'early',
    summary: 'Number of processes, without threads.',
  },
  user: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The effective user of each, by name or number.',
  },
  unit: {
    kind: 'text',
    accepts: 'text',
    phase: 'early',
    summary: 'The systemd unit of each, such as `ssh.service`; empty without a unit.',
  },
  command_line: {
    kind: 'text',
    accepts: 'text',
    phase: 'early',
    summary: 'Command line of each process, arguments separated by a space.',
  },
  arguments: {
    kind: 'list',
    items: { kind: 'text', summary: 'An argument.' },
    accepts: 'list',
    phase: 'early',
    summary: 'The arguments of each, without the name of the program.',
  },
  current: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'Each runs the current executable, not one that an upgrade replaced or removed. Libraries are not checked.',
  },
})

const exports = defineExports({
  count: { kind: 'integer', summary: 'Number of processes; undefined if some may be hidden.' },
  units: { kind: 'text', summary: 'Their units, comma-separated.' },
})

/** Captures users and units. Arguments may contain secrets, and the number of processes varies. */
const processCapture: ResourceCapture<ProcessState, undefined> = {
  look: {},
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'absent' } }
    const { processes, unseen } = seen.state
    if (unseen !== undefined) {
      const others = unknown(unseen.reason, `more processes of ${name} may be hidden: ${unseen.detail}`)
      return { kind: 'present', properties: { ensure: 'running' }, unread: [unreadable('user', others)] }
    }
    const unread = processes.flatMap(({ unit }) => (unit.kind === 'unknown' ? [unreadable('unit', unit)] : []))
    const units = processes.map(({ unit }) => (unit.kind === 'known' ? (unit.value ?? '') : ''))
    const properties = {
      ensure: 'running',
      ...oneOrSeveral(
        'user',
        processes.map(({ user }) => user),
      ),
      ...(unread.length === 0 ? oneOrSeveral('unit', lastingUnits(units)) : {}),
    }
    return { kind: 'present', properties, unread: unread.slice(0, 1) }
  },
}

export const processType: ResourceType = defineResource({
  type: 'process',
  summary: 'Processes of a program: presence, number, user, arguments and unit.',
  properties,
  rules: [
    {
      summary: '`ensure: absent` excludes other requirements.',
      reads: ['ensure', 'count', 'user', 'unit', 'command_line', 'arguments', 'current'],
      at: 'ensure',
      check({ ensure, ...others }) {
        if (ensure !== 'absent') return undefined
        const said = Object.entries(others).find(([name, value]) => name !== 'name' && value !== undefined)
        return said === undefined ? undefined : `ensure: absent cannot be combined with "${said[0]}"`
      },
    },
    {
      reads: ['current'],
      at: 'current',
      check: ({ current }) => (current === false ? 'current can only be true: omit it otherwise' : undefined),
    },
  ],
  exports,
  drifts: ['ensure', 'count', 'user', 'unit', 'command_line', 'arguments', 'current'],
  neverSecret: ['ensure', 'count', 'current'],
  examples: [
    {
      title: 'One time daemon runs, not as root, from the current executable',
      yaml: `
        process:
          - chronyd:
              user: { not: root }
              unit: chrony.service
              current: true`,
    },
    {
      title: 'No telnet server is running',
      yaml: `
        process:
          - /usr/sbin/telnetd:
              ensure: absent`,
    },
    {
      title: 'Containers are not reachable without a certificate',
      yaml: `
        process:
          - dockerd:
              count: 1
              arguments: { excludes: ["tcp://0.0.0.0:2375"] }`,
    },
  ],
  platforms: ['linux'],
  observe: observeProcess,
  decide: decideProcess,
  apply: async () => ({ kind: 'failed', message: 'a fix does not start or stop processes' }),
  exportsOf: exportsOfProcess,
  capture: processCapture,
})

function exportsOfProcess(_desired: unknown, observed: Seen<ProcessState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return { count: 0 }
  const { processes, unseen } = observed.state
  const units = new Set(
    processes.flatMap(({ unit }) => (unit.kind === 'known' && unit.value !== null ? [unit.value] : [])),
  )
  return { count: unseen === undefined ? processes.length : undefined, units: [...units].toSorted().join(',') }
}

type Machine = Pick<Target, 'open' | 'names'> & HasFiles<'realPath'>

/** Finds all processes of a program. Absence is only proved if all processes and executables are visible. */
export function observeProcess(machine: Machine, { name }: Pick<ProcessDesired, 'name'>): Observation<ProcessState> {
  const list = machine.open(PROCESSES).list()
  if (list.kind === 'unknown') return list
  const names = namesOf(machine, name)
  let { unseen }: { unseen?: Unknown } = list.value
  const processes: ObservedProcess[] = []
  for (const process of list.value.processes) {
    const identity = identityOf(process)
    const isMeant =
      identity.kind === 'known' ? identity.value.some((each) => names.includes(each)) : isCalled(process, name)
    if (isMeant)
      processes.push({ ...process, user: machine.names.userName(process.effectiveUid) ?? String(process.effectiveUid) })
    else if (identity.kind === 'unknown') unseen ??= identity
  }
  if (processes.length === 0) return unseen ?? absent()
  return present(unseen === undefined ? { processes } : { processes, unseen })
}

/** The path and its real path: the kernel reports executables by real path. */
function namesOf({ files: { realPath } }: Machine, name: string): readonly string[] {
  if (!name.startsWith('/')) return [name]
  const real = realPath(name)
  return real.kind === 'known' && real.value !== null ? [name, real.value] : [name]
}

/** Without a readable executable, the kernel's name can only prove a match. */
function isCalled({ command }: Process, name: string): boolean {
  return command === name
}
