import { resolve } from 'node:path'
import process from 'node:process'
import { isOneFile } from '../policy/fetch/one-file.ts'

/**
 * Command line that starts this program again, with absolute paths and unresolved links: Node with the script, or the
 * single-file executable.
 */
export function programOf(): readonly [program: string, ...args: string[]] {
  return isOneFile() ? [process.execPath] : [process.execPath, resolve(process.argv[1] ?? '')]
}

/**
 * Command line that starts this program with a V8 flag, and the environment, which carries the flag for a single-file
 * executable.
 */
export function programWith(
  flag: string,
  env: NodeJS.ProcessEnv,
): { command: readonly [string, ...string[]]; env: NodeJS.ProcessEnv } {
  const [node, ...args] = programOf()
  if (!isOneFile()) return { command: [node, flag, ...args], env }
  return { command: [node, ...args], env: { ...env, NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} ${flag}`.trim() } }
}

/** Set in a child process with resource limits. */
export const LIMITED_VARIABLE = 'DRIFTGATE_LIMITED'

/** True if this process has resource limits. */
export function isLimited(env: Readonly<Record<string, string | undefined>>): boolean {
  return env[LIMITED_VARIABLE] !== undefined
}
