/** A text that is nothing but the address of something, in its parts. */
const ADDRESS = /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?([^?#]*)(\?[^#]*)?(#.*)?$/is

/** Names of parameters with secret values, such as `X-Amz-Signature` and `access_token`. */
const TELLING = /auth|credential|key|pass|secret|sig|token/i

/** An address as people may see it: without user, password, query and fragment, which all may hold secrets. */
export function withoutUrlSecrets(text: string): string {
  const [, scheme, user, rest, query, fragment] = ADDRESS.exec(text) ?? []
  if (scheme === undefined || rest === undefined) return text
  const hidden = (start: string, part: string | undefined): string => (part === undefined ? '' : `${start}(secret)`)
  return `${scheme}${user === undefined ? '' : '(secret)@'}${rest}${hidden('?', query)}${hidden('#', fragment)}`
}

/** Whether an address has a password, or a parameter that is named like a secret, written out in it. */
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

/** The password in an address; it may hold an `@`, and ends at the last one before the path. */
const PASSWORD = /([a-z][a-z\d+.-]*:\/\/[^\s/?#:@"']*:)([^\s/?#"']+)@/gi

/** A text with the passwords of addresses in it masked, each character by a `*`, so that places in it stay. */
export function maskUrlPasswords(text: string): string {
  return text.replaceAll(PASSWORD, (_all, start: string, password: string) => `${start}${'*'.repeat(password.length)}@`)
}
