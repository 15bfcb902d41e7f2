import { resolve } from 'node:path'
import process from 'node:process'

/** How this very program is started again: the node that runs it and its file, by absolute paths, links kept. */
export function programOf(): readonly [node: string, program: string] {
  return [process.execPath, resolve(process.argv[1] ?? '')]
}

/** Set for a process that works within limits which another one watches over. */
export const LIMITED_VARIABLE = 'DRIFTGATE_LIMITED'

/** Whether this process works within limits already. */
export function isLimited(env: Readonly<Record<string, string | undefined>>): boolean {
  return env[LIMITED_VARIABLE] !== undefined
}
