import { withBlanksOfC } from '../../settings/blanks.ts'

// What values of sshd_config and ssh_config look like.

const METHOD = '(?:none|publickey|password|keyboard-interactive|hostbased|gssapi-with-mic|gssapi-keyex)(?::[^ ,]*)?'

/** The lists of AuthenticationMethods. */
export const METHODS = new RegExp(`^(?:any|${METHOD}(?:[ ,]${METHOD})*)$`)

/** A port number from 1 to 65535. */
export const PORT = String.raw`\+?0*(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])`

/** A list of HOST:PORT. */
export const forwardsOf = (host: string): RegExp =>
  withBlanksOfC(new RegExp(`^(?:any|none|${host}(?:\\*|${PORT})(?: ${host}(?:\\*|${PORT}))*)$`))

export const LISTENER = withBlanksOfC(
  new RegExp(
    String.raw`^(?!-)(?:\[\S+\](?::${PORT})?|[^\s:]+(?::(?:${PORT}|ssh))?|[^\s:[]*:\S*:\S*)(?: [Rr][Dd][Oo][Mm][Aa][Ii][Nn] \S+)?$`,
  ),
)

/** Seconds, also with units. */
export const SPAN = String.raw`\+?(?:\d{1,9}[smhdwSMHDW])*\d{1,9}[smhdwSMHDW]?`

export const CHANNEL = String.raw`[^\s=]+=${SPAN}`

export const GSS_EXCHANGE =
  '(?:gex-sha1|group1-sha1|group14-sha1|group14-sha256|group16-sha512|nistp256-sha256|curve25519-sha256)-'

export const PROGRAM = /^(?:none$|\/)/i

/** A class of traffic, by name or number. */
export const CLASS = '(?:af[1-4][1-3]|cs[0-7]|ef|le|lowdelay|throughput|reliability|none|\\d{1,3}|0x[\\da-f]{1,2})'
export const CLASSES = new RegExp(`^${CLASS}(?: ${CLASS})?$`, 'i')

/** An amount of data and a time after which keys are renewed. */
export const REKEY_AMOUNT = String.raw`(?:default|\+?0*(?:0|1[6-9]|[2-9]\d|[1-9]\d{2,17}|\d{1,17}[kmgKMG]))`
export const REKEY_TIME = `(?:none|${SPAN})`
export const REKEY_LIMIT = new RegExp(`^${REKEY_AMOUNT}(?: ${REKEY_TIME})?$`)
