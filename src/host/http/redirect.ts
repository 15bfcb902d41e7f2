import { HttpError, showUrl } from './http-error.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/** The target of a redirect, and whether credentials may follow. */
export interface Redirect {
  readonly url: URL
  readonly keepsCredentials: boolean
}

/**
 * Resolves a `Location` header. Credentials follow only to the same scheme, host and port, or from http to https on the
 * standard ports of the same host. Credentials in the new URL are dropped, because the server wrote them. Throws an
 * `HttpError` if the location is invalid.
 */
export function followRedirect(from: URL, location: string | undefined): Redirect {
  const url = location === undefined ? undefined : parse(location, from)
  if (url === undefined) throw new HttpError(`${showUrl(from)} redirects without a location`)
  return redirectTo(from, url)
}

/** Redirects to a known URL. Throws an `HttpError` if it is neither http nor https. */
export function redirectTo(from: URL, url: URL): Redirect {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HttpError(`${showUrl(from)} redirects to a URL that is neither http nor https`)
  }
  url.username = ''
  url.password = ''
  return { url, keepsCredentials: isSameServer(from, url) }
}

function parse(location: string, base: URL): URL | undefined {
  return URL.canParse(location, base.href) ? new URL(location, base) : undefined
}

function isSameServer(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false
  if (from.protocol === to.protocol) return from.port === to.port
  // `port` is empty for the standard port of the scheme.
  return from.protocol === 'http:' && from.port === '' && to.port === ''
}
