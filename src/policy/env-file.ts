import { resolve } from 'node:path'
import type { Problem } from '../model/problem.ts'
import { readTextFile } from './fetch/text-file.ts'

/** Reads the variables of the `--env-file`; adds a problem if that fails. */
export function readEnvFile(path: string | undefined, problems: Problem[]): ReadonlyMap<string, string> {
  if (path === undefined) return new Map()
  try {
    const parsed = parseDotenv(readTextFile(resolve(path)))
    if (!('message' in parsed)) return parsed
    const position = { file: path, line: parsed.line, column: 1 }
    problems.push({ message: parsed.message, position, severity: 'error' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push({ message: `cannot read --env-file ${path}: ${reason}`, severity: 'error' })
  }
  return new Map()
}

/**
 * Parses a dotenv file: `NAME=value` lines, optionally with `export`, and `#` comments. A value in single quotes is
 * literal; double quotes support `
 * `, `\"` and `\\`. Other lines are problems.
 */
function parseDotenv(text: string): ReadonlyMap<string, string> | { readonly line: number; readonly message: string } {
  const variables = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, written] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    const value = written === undefined ? undefined : valueIn(written)
    if (name === undefined || value === undefined) return { line: index + 1, message: 'expected NAME=value' }
    variables.set(name, value)
  }
  return variables
}

function valueIn(written: string): string | undefined {
  const single = /^'([^']*)'(?:\s+#.*)?$/.exec(written)
  if (single !== null) return single[1]
  const double = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/.exec(written)
  if (double !== null)
    return double[1]?.replaceAll(/\\(.)/g, (_match, letter: string) => (letter === 'n' ? '\n' : letter))
  return /^["']/.test(written) ? undefined : written.replace(/\s+#.*$/, '')
}
