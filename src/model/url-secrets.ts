/** The parts of a text that is a URL. */
const ADDRESS = /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#:]*(?::([^/?#]*))?)@)?([^?#]*)(\?[^#]*)?(#.*)?/is

/** Parameters with secret values according to their names, such as `X-Amz-Signature` and `access_token`. */
const TELLING = /(?:^\?|&)[^=&]*(?:auth|credential|key|pass|secret|sig|token)[^=&]*=([^&]*)/gi

/** A URL without user, password, query and fragment, all of which may contain secrets. */
export function withoutUrlSecrets(text: string): string {
  const match = ADDRESS.exec(text)
  if (match === null) return text
  const [, scheme, user, , rest, query, fragment] = match
  return [scheme, user && '(secret)@', rest, query && '?(secret)', fragment && '#(secret)'].join('')
}

/** Whether a URL contains a password, or a parameter whose name suggests a secret. */
export function holdsUrlSecret(text: string): boolean {
  const [, , , password, , query] = ADDRESS.exec(text) ?? []
  const values = [password, ...Array.from(query?.matchAll(TELLING) ?? [], ([, value]) => value)]
  return values.some((value) => (value ?? '').replaceAll(/\{\{.*?\}\}/gs, '') !== '')
}

/** The password in a URL; it may contain an `@`, and ends at the last one before the path. */
const PASSWORD = /([a-z][a-z\d+.-]*:\/\/[^\s/?#:@"']*:)([^\s/?#"']+)@/gi

/** Masks passwords of URLs in a text, each character with a `*`, so that offsets stay valid. */
export function maskUrlPasswords(text: string): string {
  return text.replaceAll(PASSWORD, (_all, start: string, password: string) => `${start}${'*'.repeat(password.length)}@`)
}
