import { type Command, defineCommand, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { parseSize } from '../../../model/size.ts'
import { complainOfSpan } from './members.ts'
import { FORMAT } from '../../options/format.ts'

const COUNT = /^[1-9]\d{0,6}$/

const SIZE_OPTIONS = {
  hosts: {
    kind: 'value',
    group: 'Fleet:',
    placeholder: 'N',
    complain: (text) => (COUNT.test(text) ? undefined : 'must be a number of hosts'),
    summary: 'Number of hosts',
  },
  interval: {
    kind: 'value',
    group: 'Fleet:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'Reporting interval of a host (default: 1h)',
  },
  resources: {
    kind: 'value',
    group: 'Fleet:',
    placeholder: 'N',
    complain: (text) => (COUNT.test(text) ? undefined : 'must be a number of resources'),
    summary: 'Number of resources per host (default: 300)',
  },
  changes: {
    kind: 'value',
    group: 'Fleet:',
    placeholder: 'N',
    complain: (text) => (/^\d{1,5}$/.test(text) ? undefined : 'must be a number of runs'),
    summary: 'Number of runs per day with changes on a host (default: 5)',
  },
  days: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'N',
    complain: (text) => (COUNT.test(text) ? undefined : 'must be a number of days'),
    summary: 'Retention of reports in days (default: 30)',
  },
  size: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'SIZE',
    complain: (text) => ((parseSize(text) ?? 0) > 0 ? undefined : 'must be a size such as 20GiB'),
    summary: 'Storage limit of the server, as in "fleet init" (default: 20GiB)',
  },
  ...FORMAT,
} as const satisfies OptionSpecs

export type SizeFlags = OptionsOf<typeof SIZE_OPTIONS>

export const size: Command = defineCommand({
  name: 'fleet size',
  summary: 'Estimate disk, memory and connections of a fleet server',
  details: 'The estimate is from measurements with a real server; it reads nothing and connects to nothing.',
  options: SIZE_OPTIONS,
  examples: [{ command: 'driftgate fleet size --hosts 2000 --interval 1h', summary: 'Estimate for 5000 hosts' }],
  run: async (invocation, io) => (await import('./run-size.ts')).runSize(invocation, io),
})
