export interface WrittenUrl {
  readonly url: URL
  /** The request target: path and query. */
  readonly path: string
  /** The `Host` header. */
  readonly host: string
}

const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?!\/)([^/?#]*))?([^?#]*)(\?[^#]*)?(?:#.*)?$/s

/**
 * Parses a URL, or a reference relative to `base`, as Go's net/url does: dots, escapes and backslashes of a path stay
 * as written, only invalid characters are escaped, and dots of a reference are resolved. Returns the problem of an
 * invalid URL, as the end of a sentence.
 */
export function readUrl(text: string, base?: WrittenUrl): WrittenUrl | string {
  const [, scheme, authority, path = '', query] = PARTS.exec(text) ?? []
  if (/\p{Cc}/u.test(text)) return 'contains control characters'
  if (/\s/.test(query ?? '')) return 'has a space in its query: write %20'
  if (scheme === undefined && authority === undefined && /^[^/]*:/.test(path))
    return 'has a colon before its first slash'
  const escaped = escapePath(path)
  if (escaped === undefined) return 'has a % in its path that does not start an escape: write %25'
  const isWhole = scheme !== undefined || authority !== undefined
  const from = isWhole || base === undefined ? undefined : pathOf(base.path)
  const server = parseServer(scheme ?? base?.url.protocol.slice(0, -1), isWhole ? authority : base?.host)
  if (typeof server === 'string') return server
  const resolved = base === undefined ? escaped : resolvePath(from ?? '', escaped)
  const asked = query ?? (from !== undefined && path === '' ? queryOf(base?.path ?? '') : '')
  return { ...server, path: `${resolved === '' ? '/' : resolved}${Buffer.from(asked).toString('latin1')}` }
}

function pathOf(target: string): string {
  return target.replace(/\?.*$/s, '')
}

function queryOf(target: string): string {
  return Buffer.from(/\?.*$/s.exec(target)?.[0] ?? '', 'latin1').toString()
}

function parseServer(scheme: string | undefined, authority = ''): Pick<WrittenUrl, 'url' | 'host'> | string {
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:$/, '')
  if (scheme === undefined || host === '') return 'has no host'
  if (/[\\%\s]/.test(host)) return 'has an invalid host'
  const text = `${scheme}://${authority}/`
  if (!URL.canParse(text)) return 'has an invalid host'
  const url = new URL(text)
  return { url, host: /^[\x21-\x7E]+$/.test(host) ? host : url.host }
}

const VALID = /^(?:[\w\-.~!$&'()*+,;=:@/[\]]|%[\dA-Fa-f]{2})*$/
const BAD_ESCAPE = /%(?![\dA-Fa-f]{2})/

/** A path as Go sends it; undefined if it has an invalid escape. @see https://pkg.go.dev/net/url#URL.EscapedPath */
function escapePath(path: string): string | undefined {
  if (VALID.test(path)) return path
  if (BAD_ESCAPE.test(path)) return undefined
  const parts = path.split(/(%[\dA-Fa-f]{2})/)
  const bytes = Buffer.concat(
    parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part) : Buffer.from(part.slice(1), 'hex'))),
  )
  return bytes.toString('latin1').replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (character) => `%${hexOf(character)}`)
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
}

/** @see RFC 3986, section 5.2 */
function resolvePath(base: string, reference: string): string {
  const isRelative = !reference.startsWith('/')
  const full = reference === '' ? base : isRelative ? base.slice(0, base.lastIndexOf('/') + 1) + reference : reference
  if (full === '') return ''
  const kept: string[] = []
  const segments = full.split('/')
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
  }
  const last = segments.at(-1)
  const end = last === '.' || last === '..' ? '/' : ''
  return `/${kept.join('/')}${end}`.replace(/^\/\//, '/')
}
