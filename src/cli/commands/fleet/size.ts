import { type Command, defineCommand } from '../../command.ts'
import { SIZE_OPTIONS } from './size-options.ts'

export const size: Command = defineCommand({
  name: 'fleet size',
  summary: 'Estimate disk, memory and connections of a fleet server',
  details: 'The estimate is from measurements with a real server; it reads nothing and connects to nothing.',
  options: SIZE_OPTIONS,
  examples: [{ command: 'driftgate fleet size --hosts 2000 --interval 1h', summary: 'Estimate for 5000 hosts' }],
  run: async (invocation, io) => (await import('./run-size.ts')).runSize(invocation, io),
})
