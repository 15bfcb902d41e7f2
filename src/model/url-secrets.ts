/** The parts of a text that is a URL. */
const ADDRESS = /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?([^?#]*)(\?[^#]*)?(#.*)?$/is

/** Names of parameters with secret values, such as `X-Amz-Signature` and `access_token`. */
const TELLING = /auth|credential|key|pass|secret|sig|token/i

/** A URL without user, password, query and fragment, all of which may contain secrets. */
export function withoutUrlSecrets(text: string): string {
  const [, scheme, user, rest, query, fragment] = ADDRESS.exec(text) ?? []
  if (scheme === undefined || rest === undefined) return text
  const hidden = (start: string, part: string | undefined): string => (part === undefined ? '' : `${start}(secret)`)
  return `${scheme}${user === undefined ? '' : '(secret)@'}${rest}${hidden('?', query)}${hidden('#', fragment)}`
}

/** Whether a URL contains a password, or a parameter whose name suggests a secret. */
export function holdsUrlSecret(text: string): boolean {
  const [, scheme, user = '', , query = ''] = ADDRESS.exec(text) ?? []
  if (scheme === undefined) return false
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(user) ?? []
  const parameters = query
    .slice(1)
    .split('&')
    .map((each) => /^([^=]*)=(.*)$/s.exec(each) ?? [])
  const telling = parameters.filter(([, name = '']) => TELLING.test(name)).map(([, , value = '']) => value)
  return [password, ...telling].some((value) => value.replaceAll(/\{\{.*?\}\}/gs, '') !== '')
}

/** The password in a URL; it may contain an `@`, and ends at the last one before the path. */
const PASSWORD = /([a-z][a-z\d+.-]*:\/\/[^\s/?#:@"']*:)([^\s/?#"']+)@/gi

/** Masks passwords of URLs in a text, each character with a `*`, so that offsets stay valid. */
export function maskUrlPasswords(text: string): string {
  return text.replaceAll(PASSWORD, (_all, start: string, password: string) => `${start}${'*'.repeat(password.length)}@`)
}
