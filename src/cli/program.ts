import { resolve } from 'node:path'
import process from 'node:process'
import { isOneFile } from '../policy/fetch/one-file.ts'

/**
 * How this very program is started again, by absolute paths, links kept: the node that runs it and its file, or the one file
 * that is both.
 */
export function programOf(): readonly [program: string, ...args: string[]] {
  return isOneFile() ? [process.execPath] : [process.execPath, resolve(process.argv[1] ?? '')]
}

/** What starts this very program with flags of V8. The environment is changed where it takes them from there alone. */
export function programWith(
  flag: string,
  env: NodeJS.ProcessEnv,
): { command: readonly [string, ...string[]]; env: NodeJS.ProcessEnv } {
  const [node, ...args] = programOf()
  if (!isOneFile()) return { command: [node, flag, ...args], env }
  return { command: [node, ...args], env: { ...env, NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} ${flag}`.trim() } }
}

/** Set for a process that works within limits which another one watches over. */
export const LIMITED_VARIABLE = 'DRIFTGATE_LIMITED'

/** Whether this process works within limits already. */
export function isLimited(env: Readonly<Record<string, string | undefined>>): boolean {
  return env[LIMITED_VARIABLE] !== undefined
}
