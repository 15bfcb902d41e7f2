import type { OptionSpecs } from '../command.ts'

/** Default directory of the fleet membership of a host. */
export const AGENT_DIRECTORY = '/etc/driftgate/agent'

/** The option of commands that work as a host of a fleet. */
export const AGENT_OPTION = {
  agent: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DIR',
    holds: 'path',
    summary: `Directory of the host key and trusted keys (default: ${AGENT_DIRECTORY})`,
  },
} as const satisfies OptionSpecs
