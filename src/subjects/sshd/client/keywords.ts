import { wordsOf } from '../../../settings/blanks.ts'
import { CLASS, PORT, REKEY_AMOUNT, REKEY_TIME, SPAN } from '../forms.ts'
import { CIPHERS, KEX, KEY_TYPES, type Keyword, MACS } from '../keywords.ts'

const FLAG = { kind: 'choice', accepts: ['yes', 'no', 'true', 'false'], same: { true: 'yes', false: 'no' } } as const
const YES = { ...FLAG, unset: 'yes' } as const
const NO = { ...FLAG, unset: 'no' } as const

/** Keywords of ssh_config(5) with one value and with their defaults, from the source of OpenSSH 8.0 to 10.0. */
const TABLE: Readonly<Record<string, Omit<Keyword, 'name'>>> = {
  AddressFamily: { kind: 'choice', unset: 'any', accepts: ['any', 'inet', 'inet6'] },
  BatchMode: NO,
  CASignatureAlgorithms: KEY_TYPES,
  CheckHostIP: { ...NO, since: [8, 5] },
  Ciphers: CIPHERS,
  ClearAllForwardings: NO,
  Compression: { kind: 'choice', unset: 'no' },
  EnableSSHKeysign: NO,
  ExitOnForwardFailure: NO,
  // Its other values are the path of a socket and the name of a variable.
  ForwardAgent: { kind: 'text', unset: 'no', same: { yes: 'yes', no: 'no', ...FLAG.same } },
  ForwardX11: NO,
  GatewayPorts: NO,
  GSSAPIAuthentication: NO,
  GSSAPIDelegateCredentials: NO,
  HashKnownHosts: NO,
  HostbasedAcceptedAlgorithms: KEY_TYPES,
  HostbasedAuthentication: NO,
  HostKeyAlgorithms: KEY_TYPES,
  KbdInteractiveAuthentication: YES,
  KexAlgorithms: KEX,
  MACs: MACS,
  NoHostAuthenticationForLocalhost: NO,
  NumberOfPasswordPrompts: { kind: 'integer', unset: '3' },
  PasswordAuthentication: YES,
  PermitLocalCommand: NO,
  Port: { kind: 'integer', unset: '22', form: new RegExp(`^${PORT}$`) },
  PubkeyAcceptedAlgorithms: KEY_TYPES,
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

const HOST = String.raw`(?:\[[^\]\n]*\]|[^:\n]*)`
const TARGET = `(?:/[^\\n]*|${HOST}:${PORT})`

/** What the words of a line must look like, joined by line feeds, of keywords without a value here; by default in any case. */
const FORMS: readonly (readonly [keywords: string, form: string, flags?: ''])[] = [
  [
    `canonicalizefallbacklocal dsaauthentication enableescapecommandline forkafterauthentication forwardx11trusted
    gssapikeyexchange gssapirenewalforcesrekey gssapitrustdns identitiesonly proxyusefdpass stdinnull streamlocalbindunlink`,
    'yes|no|true|false',
  ],
  [
    `bindaddress bindinterface certificatefile controlpath gssapiclientidentity gssapiserveridentity hostkeyalias hostname
    identityagent identityfile ignoreunknown kbdinteractivedevices pkcs11provider preferredauthentications revokedhostkeys
    securitykeyprovider smartcarddevice user xauthlocation`,
    String.raw`[^\n]+`,
  ],
  ['globalknownhostsfile userknownhostsfile', String.raw`none|(?!none(?:\n|$))[^\n]+(?:\n(?!none(?:\n|$))[^\n]+)*`],
  ['sendenv', String.raw`[^=]*`],
  ['setenv', String.raw`[^\n]*=[^\n]*(?:\n[^\n]*=[^\n]*)*`],
  ['addkeystoagent', `yes|no|true|false|ask|confirm|(?:confirm\\n)?${SPAN}`],
  ['canonicalizehostname', 'yes|no|true|false|always'],
  ['controlmaster', 'yes|no|true|false|ask|auto|autoask'],
  ['controlpersist', `yes|no|true|false|${SPAN}`, ''],
  ['pubkeyauthentication', 'yes|no|true|false|unbound|host-bound'],
  ['requesttty', 'yes|no|true|false|force|auto'],
  ['sessiontype', 'none|subsystem|default'],
  ['updatehostkeys verifyhostkeydns', 'yes|no|true|false|ask'],
  ['canonicalizemaxdots requiredrsasize serveralivecountmax', String.raw`\+?\d+`],
  ['connectionattempts', String.raw`\+?0*[1-9]\d*`],
  ['connecttimeout forwardx11timeout protocolkeepalives serveraliveinterval setuptimeout', `none|${SPAN}`, ''],
  ['fingerprinthash', 'md5|sha(?:1|256|384|512)'],
  ['loglevel', 'silent|quiet|fatal|error|info|verbose|debug[123]?'],
  ['syslogfacility', 'daemon|user|auth|authpriv|local[0-7]'],
  ['escapechar', String.raw`none|[^\n]|\^[^\n]`, ''],
  ['ipqos', `${CLASS}(?:\\n${CLASS})?`],
  ['rekeylimit', `${REKEY_AMOUNT}(?:\\n${REKEY_TIME})?`, ''],
  ['streamlocalbindmask', String.raw`\+?0*[0-7]{1,3}(?![0-7])[^\n]*`],
  ['tunneldevice', String.raw`any(?::(?:any|\d+))?|\d+(?::(?:any|\d+))?`],
  ['dynamicforward', `(?:${HOST}:)?${PORT}|/[^\\n]*`],
  ['localforward', `(?:(?:${HOST}:)?${PORT}|/[^\\n]*)\\n${TARGET}`],
  ['remoteforward', `(?:(?:${HOST}:)?(?:\\+?0+|${PORT})|/[^\\n]*)(?:\\n${TARGET})?`],
]

const FORM_OF = new Map(
  FORMS.flatMap(([keywords, form, flags = 'i']) =>
    wordsOf(keywords).map((name) => [name, new RegExp(`^(?:${form})$`, flags)]),
  ),
)

/** Whether ssh accepts the words of a line; true if that is not known. */
export function isValidLine(keyword: string, words: readonly string[]): boolean {
  return FORM_OF.get(keyword)?.test(words.join('\n')) !== false
}

const KEYWORDS = new Map(Object.entries(TABLE).map(([name, row]) => [name.toLowerCase(), { name, ...row }]))

/** Other names of keywords, in lower case. @see ssh_config(5) */
const ALIASES: Readonly<Record<string, string>> = {
  challengeresponseauthentication: 'kbdinteractiveauthentication',
  hostbasedkeytypes: 'hostbasedacceptedalgorithms',
  pubkeyacceptedkeytypes: 'pubkeyacceptedalgorithms',
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
