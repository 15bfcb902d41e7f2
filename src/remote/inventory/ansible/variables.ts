/** Variables of a host by name, as plain data. */
export type Variables = ReadonlyMap<string, unknown>

/** Reason why only Ansible can resolve a value; undefined if it is plain. */
export function findUnusable(value: unknown): 'encrypted' | 'template' | undefined {
  if (someText(value, (text) => text.startsWith('$ANSIBLE_VAULT;'))) return 'encrypted'
  return someText(value, (text) => /\{[{%#]/.test(text)) ? 'template' : undefined
}

function someText(value: unknown, has: (text: string) => boolean): boolean {
  if (typeof value === 'string') return has(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => has(key) || someText(inner, has))
}

/** Names of variables, and lines around them, that suggest a secret value. */
export const NAMES_A_SECRET: RegExp =
  /pass|secret|token|credential|vault|(?:private|api|access|encryption)_?key|(?:^|_)pin(?:_|$)/i
