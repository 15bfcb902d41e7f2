/** The credentials of a request. Header names are as the user wrote them. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly username?: string
  readonly password?: string
}

/**
 * The headers that must only go to the intended server, by lowercase name: all headers of the user, since any may
 * contain a token. Without an `Authorization` header, user name and password make one if both are set, otherwise those
 * of the URL.
 */
export function credentialHeaders(
  url: URL,
  { headers, username = '', password = '' }: Credentials,
): Record<string, string> {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (own['authorization'] !== undefined) return own
  if (username !== '' && password !== '') return { ...own, authorization: basic(username, password) }
  if (url.username === '' && url.password === '') return own
  return { ...own, authorization: basic(decode(url.username), decode(url.password)) }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** A percent sign that does not start a valid escape is literal. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
