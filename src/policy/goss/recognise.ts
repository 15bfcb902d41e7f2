import { GOSS_KEYS } from '../../subjects/goss/files/resource.ts'

/** What policies have at their top. */
const POLICY_KEYS: readonly string[] = ['ccm', 'policy', 'catalogue', 'data', 'hierarchy', 'overrides']

/** What files of Goss are called. */
const NAME = /(?:^|[./])goss\.(?:ya?ml|json)$/i

/** The keys of a block in YAML, and the first one of each pair of braces that begins a line; what begins a template does not count. */
const TOP_OF_YAML = /^(["']?)([\w-]+)\1\s*:/gm
const FIRST_IN_BRACES = /^\s*\{(?!\{)\s*(["']?)([\w-]+)\1\s*:/m

/** Whether a file is one of Goss and no policy: by what stands at its top, or, where that could be either, its name. */
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
