import { withBlanksOfC } from '../../settings/blanks.ts'
import {
  CHANNEL,
  CLASSES,
  forwardsOf,
  GSS_EXCHANGE,
  LISTENER,
  METHODS,
  PORT,
  PROGRAM,
  REKEY_LIMIT,
  SPAN,
} from './forms.ts'

export type SshdKind =
  /** One word. */
  | 'text'
  /** The rest of the line. */
  | 'line'
  /** A path, or `none` in any case. */
  | 'path'
  /** One of a few words, case-insensitive. */
  | 'choice'
  | 'integer'
  /** Seconds, also written as `30s` or `1h30m`. */
  | 'seconds'
  /** `10:30:100`. */
  | 'triple'
  /** Names of algorithms, optionally relative to the built-in list. */
  | 'algorithms'
  /** A list of words. */
  | 'words'

export interface Keyword {
  /** Spelling of the manual. */
  readonly name: string
  readonly kind: SshdKind
  /** Not allowed in a Match block. */
  readonly isGlobal?: true
  /** Values of several lines are merged; for other keywords the first line applies. */
  readonly adds?: true
  /** Up to this version the last line applies; since which version the first line applies is not known. */
  readonly lastUpTo?: readonly [number, number]
  /** The default. Absent if it depends on how sshd was built. */
  readonly unset?: string
  /** Version that introduced the keyword. */
  readonly since?: readonly [number, number]
  /** 0 means never, which is longer than any time. */
  readonly zeroIsNever?: true
  /** A choice in upper case. */
  readonly isUpper?: true
  /** Words that sshd accepts for a choice, in the case of `isUpper`; `yes` and `no` by default. */
  readonly accepts?: readonly string[]
  /** What the words of a line must look like, joined by blanks. */
  readonly form?: RegExp
  /** What names of algorithms of this kind look like. */
  readonly names?: RegExp
  /** Canonical spelling of a value with several. */
  readonly same?: Readonly<Record<string, string>>
}

const GLOBAL = { isGlobal: true } as const
const YES = { kind: 'choice', unset: 'yes' } as const
const NO = { kind: 'choice', unset: 'no' } as const
const NONE = { kind: 'text', unset: 'none' } as const
const PATH = { kind: 'path', unset: 'none' } as const
const COMMAND = { kind: 'line', unset: 'none' } as const
const LISTED = { kind: 'words', unset: '', adds: true } as const
const FORWARDING = {
  kind: 'choice',
  unset: 'yes',
  accepts: ['yes', 'no', 'all', 'local', 'remote'],
  same: { all: 'yes' },
} as const
const ALGORITHMS = { kind: 'algorithms', form: /^(?:-.*|[+^]?(?!none$)[a-z\d@.,*?!-]+)$/ } as const

export const CIPHERS = { ...ALGORITHMS, names: /-(?:ctr|cbc|gcm)\b|^(?:chacha20|rijndael)-/ } as const
export const MACS = { ...ALGORITHMS, names: /^[hu]mac-/ } as const
export const KEX = { ...ALGORITHMS, names: /^(?:diffie-hellman|ecdh|curve25519|sntrup|mlkem|gss)/ } as const
export const KEY_TYPES = { ...ALGORITHMS, names: /^(?:ssh|rsa|ecdsa|sk|webauthn)-/ } as const

type Row = Omit<Keyword, 'name'>

/** The keywords of sshd_config(5) with their defaults, from servconf.c of OpenSSH 8.7 to 10.0. */
const TABLE: Readonly<Record<string, Row>> = {
  AcceptEnv: { ...LISTED, form: /^[^=]*$/ },
  AddressFamily: { kind: 'choice', unset: 'any', accepts: ['any', 'inet', 'inet6'], ...GLOBAL },
  AllowAgentForwarding: YES,
  AllowGroups: LISTED,
  AllowStreamLocalForwarding: FORWARDING,
  AllowTcpForwarding: FORWARDING,
  AllowUsers: LISTED,
  AuthenticationMethods: { kind: 'words', unset: 'any', form: METHODS },
  AuthorizedKeysCommand: { ...COMMAND, form: PROGRAM },
  AuthorizedKeysCommandUser: NONE,
  AuthorizedKeysFile: { kind: 'words', unset: '.ssh/authorized_keys .ssh/authorized_keys2' },
  AuthorizedPrincipalsCommand: { ...COMMAND, form: PROGRAM },
  AuthorizedPrincipalsCommandUser: NONE,
  AuthorizedPrincipalsFile: NONE,
  Banner: PATH,
  CASignatureAlgorithms: KEY_TYPES,
  ChannelTimeout: {
    kind: 'words',
    unset: 'none',
    since: [9, 2],
    form: withBlanksOfC(new RegExp(`^(?:none|NONE|${CHANNEL}(?: ${CHANNEL})*)$`)),
  },
  ChrootDirectory: NONE,
  Ciphers: { ...CIPHERS, ...GLOBAL },
  ClientAliveCountMax: { kind: 'integer', unset: '3', zeroIsNever: true },
  ClientAliveInterval: { kind: 'seconds', unset: '0', zeroIsNever: true },
  Compression: { ...YES, accepts: ['yes', 'no', 'delayed'], same: { delayed: 'yes' }, ...GLOBAL },
  DebianBanner: { ...YES, ...GLOBAL },
  DenyGroups: LISTED,
  DenyUsers: LISTED,
  DisableForwarding: NO,
  ExposeAuthInfo: NO,
  FingerprintHash: {
    kind: 'choice',
    unset: 'SHA256',
    accepts: ['MD5', 'SHA1', 'SHA256', 'SHA384', 'SHA512'],
    isUpper: true,
    lastUpTo: [9, 2],
    ...GLOBAL,
  },
  ForceCommand: COMMAND,
  GatewayPorts: { ...NO, accepts: ['yes', 'no', 'clientspecified'] },
  GSSAPIAuthentication: NO,
  GSSAPICleanupCredentials: { ...YES, ...GLOBAL },
  GSSAPIKexAlgorithms: { kind: 'text', form: new RegExp(`^gss-${GSS_EXCHANGE}(?:,gss-${GSS_EXCHANGE})*$`), ...GLOBAL },
  GSSAPIKeyExchange: { ...NO, ...GLOBAL },
  GSSAPIStoreCredentialsOnRekey: { ...NO, ...GLOBAL },
  GSSAPIStrictAcceptorCheck: { ...YES, ...GLOBAL },
  HostbasedAcceptedAlgorithms: KEY_TYPES,
  HostbasedAuthentication: NO,
  HostbasedUsesNameFromPacketOnly: NO,
  HostCertificate: { kind: 'text', unset: '', adds: true, ...GLOBAL },
  HostKey: { kind: 'text', adds: true, ...GLOBAL },
  HostKeyAgent: { ...NONE, ...GLOBAL },
  HostKeyAlgorithms: { ...KEY_TYPES, ...GLOBAL },
  IgnoreRhosts: { ...YES, accepts: ['yes', 'no', 'shosts-only'] },
  IgnoreUserKnownHosts: { ...NO, ...GLOBAL },
  IPQoS: { kind: 'words', lastUpTo: [9, 2], form: CLASSES },
  KbdInteractiveAuthentication: { ...YES, since: [8, 7] },
  KerberosAuthentication: NO,
  KerberosGetAFSToken: { ...NO, ...GLOBAL },
  KerberosOrLocalPasswd: { ...YES, ...GLOBAL },
  KerberosTicketCleanup: { ...YES, ...GLOBAL },
  KexAlgorithms: { ...KEX, ...GLOBAL },
  ListenAddress: { kind: 'words', adds: true, form: LISTENER, ...GLOBAL },
  LoginGraceTime: { kind: 'seconds', unset: '120', zeroIsNever: true, ...GLOBAL },
  LogLevel: {
    kind: 'choice',
    unset: 'INFO',
    accepts: ['SILENT', 'QUIET', 'FATAL', 'ERROR', 'INFO', 'VERBOSE', 'DEBUG', 'DEBUG1', 'DEBUG2', 'DEBUG3'],
    isUpper: true,
    same: { DEBUG1: 'DEBUG', SILENT: 'QUIET' },
  },
  LogVerbose: {
    kind: 'words',
    unset: 'none',
    form: withBlanksOfC(/^(?:none|(?!none(?: |$))\S+(?: (?!none(?: |$))\S+)*)$/i),
  },
  MACs: { ...MACS, ...GLOBAL },
  MaxAuthTries: { kind: 'integer', unset: '6' },
  MaxSessions: { kind: 'integer', unset: '10' },
  MaxStartups: { kind: 'triple', unset: '10:30:100', lastUpTo: [9, 2], ...GLOBAL },
  ModuliFile: { kind: 'path', ...GLOBAL },
  PasswordAuthentication: YES,
  PermitEmptyPasswords: NO,
  PermitListen: {
    kind: 'words',
    unset: 'any',
    form: forwardsOf('(?:\\S+:)?'),
  },
  PermitOpen: {
    kind: 'words',
    unset: 'any',
    form: forwardsOf('\\S+:'),
  },
  PermitRootLogin: {
    kind: 'choice',
    unset: 'prohibit-password',
    accepts: ['yes', 'no', 'prohibit-password', 'without-password', 'forced-commands-only'],
    same: { 'without-password': 'prohibit-password' },
  },
  PermitTTY: YES,
  PermitTunnel: { ...NO, accepts: ['yes', 'no', 'ethernet', 'point-to-point'], form: /^[a-z-]+$/ },
  PermitUserEnvironment: { kind: 'text', unset: 'no', ...GLOBAL },
  PermitUserRC: YES,
  PerSourceMaxStartups: {
    kind: 'text',
    unset: 'none',
    form: /^(?:none|\d+)$/,
    lastUpTo: [9, 2],
    since: [8, 5],
    ...GLOBAL,
  },
  PerSourceNetBlockSize: {
    kind: 'text',
    unset: '32:128',
    form: /^0*(?:\d|[12]\d|3[0-2])(?::0*(?:\d{1,2}|1[01]\d|12[0-8]))?$/,
    lastUpTo: [9, 2],
    since: [8, 5],
    ...GLOBAL,
  },
  PerSourcePenalties: { kind: 'words', since: [9, 8], ...GLOBAL },
  PerSourcePenaltyExemptList: { kind: 'text', unset: 'none', since: [9, 8], ...GLOBAL },
  PidFile: { kind: 'path', ...GLOBAL },
  Port: { kind: 'words', unset: '22', adds: true, form: new RegExp(`^(?:${PORT}|ssh)$`), ...GLOBAL },
  PrintLastLog: { ...YES, ...GLOBAL },
  PrintMotd: { ...YES, ...GLOBAL },
  PubkeyAcceptedAlgorithms: KEY_TYPES,
  PubkeyAuthentication: YES,
  PubkeyAuthOptions: {
    kind: 'words',
    unset: 'none',
    form: /^(?:none|touch-required|verify-required)(?: (?:none|touch-required|verify-required))*$/i,
  },
  RefuseConnection: { ...NO, since: [10, 0] },
  RekeyLimit: { kind: 'words', unset: 'default none', form: REKEY_LIMIT },
  RequiredRSASize: { kind: 'integer', unset: '1024', since: [9, 1] },
  RevokedKeys: PATH,
  SecurityKeyProvider: { kind: 'text', unset: 'internal', ...GLOBAL },
  SetEnv: { kind: 'words', unset: '', form: withBlanksOfC(/^[^=\s]+=/) },
  StreamLocalBindMask: { kind: 'text', unset: '0177', lastUpTo: [9, 2], form: /^0*[0-7]{1,3}$/ },
  StreamLocalBindUnlink: NO,
  StrictModes: { ...YES, ...GLOBAL },
  Subsystem: { kind: 'words', unset: '', adds: true, form: withBlanksOfC(/^\S+ /) },
  SyslogFacility: {
    kind: 'choice',
    unset: 'AUTH',
    accepts: ['DAEMON', 'USER', 'AUTH', 'AUTHPRIV', ...Array.from({ length: 8 }, (_, number) => `LOCAL${number}`)],
    isUpper: true,
    ...GLOBAL,
  },
  TCPKeepAlive: { ...YES, ...GLOBAL },
  TrustedUserCAKeys: PATH,
  UnusedConnectionTimeout: { kind: 'text', unset: 'none', since: [9, 2], form: new RegExp(`^(?:none|${SPAN})$`, 'i') },
  UseDNS: { ...NO, ...GLOBAL },
  UsePAM: { ...NO, ...GLOBAL },
  VersionAddendum: { ...COMMAND, ...GLOBAL },
  X11DisplayOffset: { kind: 'integer', unset: '10' },
  X11Forwarding: NO,
  X11UseLocalhost: YES,
  XAuthLocation: { kind: 'path', ...GLOBAL },
}

const ALIASES: Readonly<Record<string, string>> = {
  challengeresponseauthentication: 'kbdinteractiveauthentication',
  skeyauthentication: 'kbdinteractiveauthentication',
  dsaauthentication: 'pubkeyauthentication',
  gssapicleanupcreds: 'gssapicleanupcredentials',
  hostbasedacceptedkeytypes: 'hostbasedacceptedalgorithms',
  hostdsakey: 'hostkey',
  keepalive: 'tcpkeepalive',
  pubkeyacceptedkeytypes: 'pubkeyacceptedalgorithms',
}

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries(TABLE).map(([name, row]) => [name.toLowerCase(), { name, ...row }]),
)

/** The canonical keyword, in lower case, of a keyword or alias. */
export function keywordNamed(written: string): string {
  const name = written.toLowerCase()
  return ALIASES[name] ?? name
}

/** Properties of a keyword in lower case; undefined if the keyword is unknown. */
export function findKeyword(name: string): Keyword | undefined {
  return KEYWORDS.get(name)
}

/** Whether a keyword is not allowed in a Match block. */
export function isGlobalOnly(name: string): boolean {
  return KEYWORDS.get(name)?.isGlobal === true
}
