import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { processCapture } from './capture.ts'
import { decideProcess, type ProcessState } from './decide.ts'
import { observeProcess } from './observe.ts'

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
    summary: 'Whether such a process exists. Zombie processes do not count.',
  },
  count: {
    kind: 'integer',
    minimum: 1,
    accepts: 'number',
    phase: 'early',
    summary: 'How many there are, threads not counted.',
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
    summary: 'The unit of systemd that each belongs to, such as `ssh.service`; empty for one that belongs to none.',
  },
  command_line: {
    kind: 'text',
    accepts: 'text',
    phase: 'early',
    summary: 'What each was started with, with a space between the arguments.',
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
      'Each runs the program that is there now, and not one that an upgrade has replaced or removed. Libraries are not looked at.',
  },
})

const exports = defineExports({
  count: { kind: 'integer', summary: 'How many there are; not there where some may be hidden.' },
  units: { kind: 'text', summary: 'The units that they belong to, with commas between them.' },
})

export const processType: ResourceType = defineResource({
  type: 'process',
  summary: 'Processes of a program: whether it runs, how often, as whom, with which arguments and for which unit.',
  properties,
  rules: [
    {
      summary: 'Where there is to be no such process, nothing else is said of it.',
      reads: ['ensure', 'count', 'user', 'unit', 'command_line', 'arguments', 'current'],
      at: 'ensure',
      check({ ensure, ...others }) {
        if (ensure !== 'absent') return undefined
        const said = Object.entries(others).find(([name, value]) => name !== 'name' && value !== undefined)
        return said === undefined ? undefined : `a process that must not be there has no "${said[0]}"`
      },
    },
    {
      reads: ['current'],
      at: 'current',
      check: ({ current }) => (current === false ? 'current can only be required with true, or left out' : undefined),
    },
  ],
  exports,
  drifts: ['ensure', 'count', 'user', 'unit', 'command_line', 'arguments', 'current'],
  neverSecret: ['ensure', 'count', 'current'],
  examples: [
    {
      title: 'Time is kept by one daemon, not as root, and with the program that is installed now',
      yaml: `
        process:
          - chronyd:
              user: { not: root }
              unit: chrony.service
              current: true`,
    },
    {
      title: 'No telnet server is running, however it was started',
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
  apply: async () => ({ kind: 'failed', message: 'a fix starts and ends no process' }),
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
