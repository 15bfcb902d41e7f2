/** What a request says about who asks. Headers have the names the user gave them. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly username?: string
  readonly password?: string
}

/**
 * The headers that may only go to the server they were meant for, by their names in lower case: all that the user wrote,
 * since any of them may be a token. Without an `Authorization` among them, user name and password make one if both are
 * set, else those in the URL.
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

/** A percent sign that begins no escape stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
