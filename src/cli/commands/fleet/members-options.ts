import { parseDuration } from '../../../model/duration.ts'
import { parseSize } from '../../../model/size.ts'
import { isNamePattern } from '../../../fleet/nats/enrolment.ts'
import { isSafeName, NAME_RULE } from '../../../fleet/nats/names.ts'
import type { OptionsOf, OptionSpecs } from '../../command.ts'
import { AGENT_OPTION } from '../../options/agent.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'

/** The option of commands of a fleet's operator. */
export const FLEET_OPTION = {
  fleet: {
    kind: 'value',
    group: 'Fleet:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'The directory that "driftgate fleet init" made; "fleet" where it is absent',
  },
} as const satisfies OptionSpecs

/** The options of `driftgate fleet init`. */
export const INIT_OPTIONS = {
  server: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'HOST[:PORT]',
    complain: complainOfServers,
    summary: 'The server as hosts call it, with commas between those of a cluster (default port: 4222)',
  },
  listen: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'ADDRESS:PORT',
    complain: (text) => (/^[0-9A-Fa-f.:[\]]+:\d{1,5}$/.test(text) ? undefined : 'must be an address and a port'),
    summary: 'What the server listens on; every address where it is absent',
  },
  place: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'DIR',
    complain: absolute,
    summary:
      'Where the directory "server" will lie on the machine of the server; where it is made, where that is absent',
  },
  store: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'DIR',
    complain: absolute,
    summary: 'Where the server stores; /var/lib/driftgate-nats where it is absent',
  },
  size: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'SIZE',
    complain: (text) => ((parseSize(text) ?? 0) > 0 ? undefined : 'must be a size such as 20GiB'),
    summary: 'How much the server may store (default: 20GiB); "driftgate fleet size" says what hosts need',
  },
  'tls-cert': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'A certificate of your own, in PEM, with those between it and its authority',
  },
  'tls-key': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'The key of it, in PEM',
  },
  'tls-ca': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'The authority that vouches for it, in PEM',
  },
} as const satisfies OptionSpecs

function absolute(text: string): string | undefined {
  return /^\/[^"\\\n]*$/.test(text) ? undefined : 'must be an absolute path without quotes'
}

/** What is wrong with a text as the addresses of servers. */
export function complainOfServers(text: string): string | undefined {
  return /^[A-Za-z0-9.-]+(?::\d{1,5})?(?:,[A-Za-z0-9.-]+(?::\d{1,5})?)*$/.test(text)
    ? undefined
    : 'must be a name or an IPv4 address, and a port behind a colon; with commas between several'
}

/** The options of `driftgate fleet enrol`. */
export const ENROL_OPTIONS = {
  ...FLEET_OPTION,
  ring: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'NAME',
    complain: (text) => (isSafeName(text) ? undefined : `must be ${NAME_RULE}`),
    summary: 'The ring whose assignments are for the host; "all" where it is absent',
  },
  interval: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'How often the host is to report; 1h where it is absent',
  },
  valid: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'How long the invitation or token is valid (default: 1h)',
  },
  pattern: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'GLOB',
    complain: (text) =>
      isNamePattern(text) ? undefined : 'must be small letters, digits and hyphens, with * and ? for others',
    summary: 'Print one token for all hosts whose names match, such as web-*',
  },
  uses: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'N',
    complain: (text) => (/^[1-9]\d{0,5}$/.test(text) ? undefined : 'must be a number of hosts'),
    summary: 'How many hosts may join with the token of --pattern',
  },
  from: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Invite the hosts of a CSV file: columns name, ring, interval; others become labels',
  },
  targets: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Enrol the hosts of an inventory through ssh, and accept their answers',
  },
  on: {
    kind: 'list',
    group: 'Many hosts:',
    placeholder: 'SELECTOR',
    summary: 'Enrol only these of --targets: a name, a group or LABEL=VALUE',
  },
  become: CARRY_OPTIONS.become,
} as const satisfies OptionSpecs

/** What is wrong with a text as a span of time that is not empty. */
export function complainOfSpan(text: string): string | undefined {
  return (parseDuration(text) ?? 0) > 0 ? undefined : 'must be a span of time such as 1h or 1d'
}

/** The options of `driftgate fleet join`. */
export const JOIN_OPTIONS = {
  ...AGENT_OPTION,
  name: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'NAME',
    complain: (text) => (isSafeName(text) ? undefined : `must be ${NAME_RULE}`),
    summary: 'The name of the host, with a token (default: its host name)',
  },
  'no-orders': {
    kind: 'flag',
    group: 'Host:',
    summary: 'Trust nobody to have this host repaired, whoever the invitation names',
  },
} as const satisfies OptionSpecs

/** The options of `driftgate fleet send`. */
export const SEND_OPTIONS = {
  ...AGENT_OPTION,
  history: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DIR',
    holds: 'path',
    summary: "The history with the runs of this host; the system's or the user's where it is absent",
  },
} as const satisfies OptionSpecs

/** Their values. */
export type InitFlags = OptionsOf<typeof INIT_OPTIONS>
export type FleetHomeFlags = OptionsOf<typeof FLEET_OPTION>
export type EnrolFlags = OptionsOf<typeof ENROL_OPTIONS>
export type JoinFlags = OptionsOf<typeof JOIN_OPTIONS>
export type SendFlags = OptionsOf<typeof SEND_OPTIONS>
