import type { OptionSpecs } from '../command.ts'

/** Default directory of an enrolled host. */
export const AGENT_DIRECTORY = '/etc/driftgate/agent'

/** Option of commands for enrolled hosts. */
export const AGENT_OPTION = {
  agent: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DIR',
    holds: 'path',
    summary: `Directory of the host key and trusted keys (default: ${AGENT_DIRECTORY})`,
  },
} as const satisfies OptionSpecs
