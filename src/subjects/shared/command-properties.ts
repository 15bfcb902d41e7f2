import { isSet } from '../../model/property.ts'

/** Validation problem of a search path; undefined if valid. */
export function pathProblem(path: string | undefined): string | undefined {
  if (!isSet(path)) return undefined
  for (const directory of path.split(':')) {
    if (directory === '') return 'invalid path: empty directory in path'
    if (!directory.startsWith('/')) return `invalid path: "${directory}" is not an absolute path`
  }
  return undefined
}

/** Validation problem of environment entries; undefined if valid. */
export function environmentProblem(environment: readonly string[] = []): string | undefined {
  for (const entry of environment) {
    const problem = variableProblem(entry)
    if (problem !== undefined) return `invalid environment variable "${nameOf(entry)}": ${problem}`
  }
  return undefined
}

/** The value may be a secret that is not marked. */
function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf('=') + 1 || entry.length)
}

function variableProblem(entry: string): string | undefined {
  const separator = entry.indexOf('=')
  if (separator < 0) return "missing '='"
  if (separator === 0) return 'empty key'
  if (separator === entry.length - 1) return 'empty value'
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(entry.slice(0, separator))) {
    return 'the name must consist of letters, digits and underscores and must not start with a digit'
  }
  return entry.includes('\0') ? 'the value contains a NUL character' : undefined
}

/** Validation problem of a text with a NUL character, which no program argument can contain. */
export function nulProblem(property: string, text: string | undefined): string | undefined {
  return text?.includes('\0') ? `${property} contains a NUL character` : undefined
}
