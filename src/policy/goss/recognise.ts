import { GOSS_KEYS } from '../../subjects/goss/files/resource.ts'

/** Top-level keys of policies. */
const POLICY_KEYS: readonly string[] = ['ccm', 'policy', 'catalogue', 'data', 'hierarchy', 'overrides']

/** File names of Goss files. */
const NAME = /(?:^|[./])goss\.(?:ya?ml|json)$/i

/** Top-level keys in block YAML, and the first key after each brace at the start of a line; braces of templates are ignored. */
const TOP_OF_YAML = /^(["']?)([\w-]+)\1\s*:/gm
const FIRST_IN_BRACES = /^\s*\{(?!\{)\s*(["']?)([\w-]+)\1\s*:/m

/** Whether a file is a Goss file rather than a policy: by its top-level keys, or its name if they are ambiguous. */
export function isGossFile(file: string, text: string): boolean {
  const keys = topKeys(text)
  if (keys.some((key) => POLICY_KEYS.includes(key))) return false
  return keys.some((key) => GOSS_KEYS.has(key)) || NAME.test(file)
}

function topKeys(text: string): readonly string[] {
  const json = keysOfJson(text)
  if (json !== undefined) return json
  const inBraces = FIRST_IN_BRACES.exec(text)?.[2] ?? []
  return [...Array.from(text.matchAll(TOP_OF_YAML), ([, , key = '']) => key), ...[inBraces].flat()]
}

function keysOfJson(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? Object.keys(value) : undefined
  } catch {
    return undefined
  }
}
