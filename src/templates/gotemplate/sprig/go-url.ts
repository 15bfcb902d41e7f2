import { TemplateError } from '../../errors.ts'
import { fromByteText, toByteText } from '../byte-text.ts'
import { quoteGoString } from '../go-quote.ts'

/** Parts of a URL in Go's `net/url`, decoded unless stated. */
export interface GoUrl {
  readonly scheme: string
  /** Encoded; the part after the scheme of a URL without slashes. */
  readonly opaque: string
  readonly user: UserInfo | undefined
  readonly host: string
  readonly path: string
  /** Encoded. */
  readonly query: string
  readonly fragment: string
}

/** The user and password before the `@`. */
export interface UserInfo {
  readonly name: string
  readonly password: string | undefined
}

type Part = 'path' | 'host' | 'zone' | 'user' | 'fragment'

const UNRESERVED = 'A-Za-z0-9\\-_.~'
const KEPT: Readonly<Record<Part, RegExp>> = {
  path: new RegExp(`[${UNRESERVED}$&+,/:;=@]`),
  host: new RegExp(`[${UNRESERVED}!$&'()*+,;=:[\\]<>"]`),
  zone: new RegExp(`[${UNRESERVED}!$&'()*+,;=:[\\]<>"]`),
  user: new RegExp(`[${UNRESERVED}$&+,;=]`),
  fragment: new RegExp(`[${UNRESERVED}$&+,/:;=?@!()*]`),
}

/** Percent-encodes the characters reserved in this part of a URL. */
function escapeUrlPart(text: string, part: Part): string {
  return Array.from(toByteText(text), (byte) => {
    return KEPT[part].test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

function invalidEscape(text: string): TemplateError {
  return new TemplateError(`invalid URL escape ${quoteGoString(text)}`)
}

function unescapePart(text: string, part: Part): string {
  let bytes = ''
  const source = toByteText(text)
  for (let at = 0; at < source.length; at += 1) {
    const byte = source.charAt(at)
    if (byte === '%') {
      const code = source.slice(at + 1, at + 3)
      const value = Number.parseInt(code, 16)
      if (!/^[0-9a-fA-F]{2}$/.test(code)) throw invalidEscape(source.slice(at, at + 3))
      if (part === 'host' && value < 0x80 && code !== '25') throw invalidEscape(`%${code}`)
      bytes += String.fromCharCode(value)
      at += 2
    } else {
      if ((part === 'host' || part === 'zone') && byte < '\x80' && !KEPT.host.test(byte)) {
        throw new TemplateError(`invalid character ${quoteGoString(byte)} in host name`)
      }
      bytes += byte
    }
  }
  return fromByteText(bytes)
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Go's `url.Parse`. Throws `TemplateError` in Go's words. */
export function parseGoUrl(text: string): GoUrl {
  const [address, fragment] = cut(text, '#')
  try {
    return { ...parseAddress(address), fragment: unescapePart(fragment, 'fragment') }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new TemplateError(`parse ${quoteGoString(address)}: ${error.message}`, undefined, { cause: error })
  }
}

const EMPTY: GoUrl = { scheme: '', opaque: '', user: undefined, host: '', path: '', query: '', fragment: '' }

function parseAddress(address: string): GoUrl {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(address)) throw new TemplateError('net/url: invalid control character in URL')
  if (address === '*') return { ...EMPTY, path: '*' }
  const colon = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(address)?.[0].length ?? 0
  if (address.startsWith(':')) throw new TemplateError('missing protocol scheme')
  const scheme = address.slice(0, Math.max(colon - 1, 0)).toLowerCase()
  const [rest, query] = cut(address.slice(colon), '?')
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...EMPTY, scheme, opaque: rest, query }
    if (cut(rest, '/')[0].includes(':')) throw new TemplateError('first path segment in URL cannot contain colon')
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
    return { ...EMPTY, scheme, query, path: unescapePart(rest, 'path') }
  }
  const slash = rest.indexOf('/', 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  const path = slash < 0 ? '' : rest.slice(slash)
  return { ...EMPTY, scheme, query, ...parseAuthority(scheme, authority), path: unescapePart(path, 'path') }
}

function parseAuthority(scheme: string, authority: string): { host: string; user: UserInfo | undefined } {
  const at = authority.lastIndexOf('@')
  const host = parseHost(scheme, authority.slice(at + 1))
  return { host, user: at < 0 ? undefined : parseUserInfo(authority.slice(0, at)) }
}

/** Reads `user` or `user:password`. Throws `TemplateError`. */
function parseUserInfo(text: string): UserInfo {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text)) throw new TemplateError('net/url: invalid userinfo')
  const [name, password] = cut(text, ':')
  return {
    name: unescapePart(name, 'user'),
    password: text.includes(':') ? unescapePart(password, 'user') : undefined,
  }
}

function checkPort(port: string): void {
  if (port !== '' && !/^:[0-9]*$/.test(port)) throw new TemplateError(`invalid port ${quoteGoString(port)} after host`)
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[')
  if (open > 0) throw new TemplateError('invalid IP-literal')
  if (open === 0) return parseLiteral(host)
  const first = host.indexOf(':')
  const isWeb = scheme === 'http' || scheme === 'https'
  if (first >= 0) checkPort(host.slice(isWeb ? first : host.lastIndexOf(':')))
  return unescapePart(host, 'host')
}

function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close < 0) throw new TemplateError("missing ']' in host")
  const port = host.slice(close + 1)
  checkPort(port)
  const name = host.slice(1, close)
  const zone = name.indexOf('%25')
  const address = zone < 0 ? name : name.slice(0, zone)
  const text = unescapePart(address, 'host') + (zone < 0 ? '' : unescapePart(name.slice(zone), 'zone'))
  if (!/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(address)) throw new TemplateError('invalid IP-literal')
  return `[${text}]${port}`
}

/** Host without port and brackets. */
export function hostName(host: string): string {
  const colon = host.lastIndexOf(':')
  const name = colon >= 0 && /^:[0-9]*$/.test(host.slice(colon)) ? host.slice(0, colon) : host
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
}

export function formatUserInfo(user: UserInfo): string {
  const password = user.password === undefined ? '' : `:${escapeUrlPart(user.password, 'user')}`
  return escapeUrlPart(user.name, 'user') + password
}

function formatAuthority({ scheme, host, user, path }: GoUrl): string {
  if (scheme === '' && host === '' && user === undefined) return ''
  const slashes = host !== '' || path !== '' || user !== undefined ? '//' : ''
  return slashes + (user === undefined ? '' : `${formatUserInfo(user)}@`) + escapeUrlPart(host, 'host')
}

/** Go's `URL.String`. */
export function formatGoUrl(url: GoUrl): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`
  if (url.opaque !== '') text += url.opaque
  else {
    text += formatAuthority(url)
    const path = url.path === '*' ? '*' : escapeUrlPart(url.path, 'path')
    if (path !== '' && !path.startsWith('/') && url.host !== '') text += '/'
    if (text === '' && cut(path, '/')[0].includes(':')) text += './'
    text += path
  }
  if (url.query !== '') text += `?${url.query}`
  return url.fragment === '' ? text : `${text}#${escapeUrlPart(url.fragment, 'fragment')}`
}
