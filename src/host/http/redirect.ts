import { HttpError, showUrl } from './http-error.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Whether an answer with that status sends the client elsewhere. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/** Where to go next, and whether credentials may go there too. */
export interface Redirect {
  readonly url: URL
  readonly keepsCredentials: boolean
}

/**
 * Follows a `Location` header. Credentials stay with the host, protocol and port they were meant for; the one step that
 * keeps them is from http to https on the standard ports of the same host. Credentials in the new URL are dropped, because
 * it is the server that wrote them.
 */
export function followRedirect(from: URL, location: string | undefined): Redirect {
  const url = location === undefined ? undefined : parse(location, from)
  if (url === undefined) throw new HttpError(`${showUrl(from)} redirects, but does not say where to`)
  return redirectTo(from, url)
}

/** The same where the new URL is known. */
export function redirectTo(from: URL, url: URL): Redirect {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HttpError(`${showUrl(from)} redirects to a URL of another kind than http and https`)
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
  // A URL has no port where it is the standard one of its protocol.
  return from.protocol === 'http:' && from.port === '' && to.port === ''
}
