import { CIPHERS, KEX, KEY_TYPES, type Keyword, MACS } from '../keywords.ts'

const FLAG = { kind: 'choice', accepts: ['yes', 'no', 'true', 'false'], same: { true: 'yes', false: 'no' } } as const
const YES = { ...FLAG, unset: 'yes' } as const
const NO = { ...FLAG, unset: 'no' } as const

const PORT = /^0*(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/

/** Keywords of ssh_config(5) with one value and with their defaults, from the source of OpenSSH 8.0 to 10.0. */
const TABLE: Readonly<Record<string, Omit<Keyword, 'name'>>> = {
  AddressFamily: { kind: 'choice', unset: 'any', accepts: ['any', 'inet', 'inet6'] },
  BatchMode: NO,
  CheckHostIP: { ...NO, since: [8, 5] },
  Ciphers: CIPHERS,
  ClearAllForwardings: NO,
  Compression: NO,
  EnableSSHKeysign: NO,
  ExitOnForwardFailure: NO,
  // Its other values are the path of a socket and the name of a variable.
  ForwardAgent: { kind: 'text', unset: 'no', same: { yes: 'yes', no: 'no', ...FLAG.same } },
  ForwardX11: NO,
  GatewayPorts: NO,
  GSSAPIAuthentication: NO,
  GSSAPIDelegateCredentials: NO,
  HashKnownHosts: NO,
  HostbasedAuthentication: NO,
  HostKeyAlgorithms: KEY_TYPES,
  KbdInteractiveAuthentication: YES,
  KexAlgorithms: KEX,
  MACs: MACS,
  NoHostAuthenticationForLocalhost: NO,
  NumberOfPasswordPrompts: { kind: 'integer', unset: '3' },
  PasswordAuthentication: YES,
  PermitLocalCommand: NO,
  Port: { kind: 'integer', unset: '22', form: PORT },
  StrictHostKeyChecking: {
    kind: 'choice',
    unset: 'ask',
    accepts: ['yes', 'no', 'true', 'false', 'off', 'ask', 'accept-new'],
    same: { true: 'yes', false: 'no', off: 'no' },
  },
  TCPKeepAlive: YES,
  Tunnel: {
    kind: 'choice',
    unset: 'no',
    accepts: ['yes', 'no', 'true', 'false', 'point-to-point', 'ethernet'],
    same: { yes: 'point-to-point', true: 'point-to-point', false: 'no' },
  },
  VisualHostKey: NO,
}

const KEYWORDS = new Map(Object.entries(TABLE).map(([name, row]) => [name.toLowerCase(), { name, ...row }]))

/** Other names of keywords, in lower case. @see ssh_config(5) */
const ALIASES: Readonly<Record<string, string>> = {
  challengeresponseauthentication: 'kbdinteractiveauthentication',
  skeyauthentication: 'kbdinteractiveauthentication',
  tisauthentication: 'kbdinteractiveauthentication',
}

/** A keyword in lower case, with aliases resolved. */
export function clientKeywordNamed(written: string): string {
  const name = written.toLowerCase()
  return ALIASES[name] ?? name
}

/** A keyword by its name in lower case. */
export function findClientKeyword(name: string): Keyword | undefined {
  return KEYWORDS.get(name)
}

export const CLIENT_KEYWORDS: readonly string[] = [...KEYWORDS.values()].map(({ name }) => name)
