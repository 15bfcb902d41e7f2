import { parseDuration } from '../../../model/duration.ts'
import { parseSize } from '../../../model/size.ts'
import { isNamePattern } from '../../../fleet/nats/enrolment.ts'
import { isSafeName, NAME_RULE } from '../../../fleet/nats/names.ts'
import type { OptionsOf, OptionSpecs } from '../../command.ts'
import { AGENT_OPTION } from '../../options/agent.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'

/** Fleet directory option of operator commands. */
export const FLEET_OPTION = {
  fleet: {
    kind: 'value',
    group: 'Fleet:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Fleet directory of "driftgate fleet init" (default: fleet)',
  },
} as const satisfies OptionSpecs

export const INIT_OPTIONS = {
  server: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'HOST[:PORT]',
    complain: complainOfServers,
    summary: 'Server addresses of the hosts, comma-separated (default port: 4222)',
  },
  listen: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'ADDRESS:PORT',
    complain: (text) => (/^[0-9A-Fa-f.:[\]]+:\d{1,5}$/.test(text) ? undefined : 'must be an address and a port'),
    summary: 'Listen address of the server (default: all addresses)',
  },
  place: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'DIR',
    complain: absolutePathProblem,
    summary: 'Path of the directory "server" on the server host',
  },
  store: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'DIR',
    complain: absolutePathProblem,
    summary: 'Storage directory of the server (default: /var/lib/driftgate-nats)',
  },
  size: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'SIZE',
    complain: (text) => ((parseSize(text) ?? 0) > 0 ? undefined : 'must be a size such as 20GiB'),
    summary: 'Storage limit of the server (default: 20GiB; see "fleet size")',
  },
  'tls-cert': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Own certificate chain in PEM',
  },
  'tls-key': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Private key of the certificate in PEM',
  },
  'tls-ca': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'CA certificate in PEM',
  },
} as const satisfies OptionSpecs

function absolutePathProblem(text: string): string | undefined {
  return /^\/[^"\\\n]*$/.test(text) ? undefined : 'must be an absolute path without quotes'
}

/** Describes why server addresses are invalid. */
export function complainOfServers(text: string): string | undefined {
  return /^[A-Za-z0-9.-]+(?::\d{1,5})?(?:,[A-Za-z0-9.-]+(?::\d{1,5})?)*$/.test(text)
    ? undefined
    : 'must be names or IPv4 addresses, separated by commas, each with an optional port'
}

export const ENROL_OPTIONS = {
  ...FLEET_OPTION,
  ring: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'NAME',
    complain: (text) => (isSafeName(text) ? undefined : `must be ${NAME_RULE}`),
    summary: 'Ring of the host (default: all)',
  },
  interval: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'Reporting interval of the host (default: 1h)',
  },
  valid: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'Validity of the invitation or token (default: 1h)',
  },
  pattern: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'GLOB',
    complain: (text) =>
      isNamePattern(text) ? undefined : 'must be lowercase letters, digits and hyphens, with * and ? as wildcards',
    summary: 'Create one token for all hosts with matching names, such as web-*',
  },
  uses: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'N',
    complain: (text) => (/^[1-9]\d{0,5}$/.test(text) ? undefined : 'must be a number of hosts'),
    summary: 'Number of hosts that may join with the token of --pattern',
  },
  from: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Invite the hosts of a CSV file (name, ring, interval; others: labels)',
  },
  targets: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Enrol the hosts of an inventory over SSH',
  },
  on: {
    kind: 'list',
    group: 'Many hosts:',
    placeholder: 'SELECTOR',
    summary: 'Enrol only matching targets: a name, a group or LABEL=VALUE',
  },
  become: CARRY_OPTIONS.become,
} as const satisfies OptionSpecs

/** Describes why a duration is invalid or zero. */
export function complainOfSpan(text: string): string | undefined {
  return (parseDuration(text) ?? 0) > 0 ? undefined : 'must be a duration such as 1h or 1d'
}

export const JOIN_OPTIONS = {
  ...AGENT_OPTION,
  name: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'NAME',
    complain: (text) => (isSafeName(text) ? undefined : `must be ${NAME_RULE}`),
    summary: 'Name of the host when it joins with a token (default: host name)',
  },
  'no-orders': {
    kind: 'flag',
    group: 'Host:',
    summary: 'Accept no fix orders on this host',
  },
} as const satisfies OptionSpecs

export const SEND_OPTIONS = {
  ...AGENT_OPTION,
  history: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'History of this host (default: the state directory)',
  },
} as const satisfies OptionSpecs

export type InitFlags = OptionsOf<typeof INIT_OPTIONS>
export type FleetHomeFlags = OptionsOf<typeof FLEET_OPTION>
export type EnrolFlags = OptionsOf<typeof ENROL_OPTIONS>
export type JoinFlags = OptionsOf<typeof JOIN_OPTIONS>
export type SendFlags = OptionsOf<typeof SEND_OPTIONS>
