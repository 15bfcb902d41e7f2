import process from 'node:process'
import { findProgram } from './find-program.ts'

/**
 * Directories that contain only system programs. The PATH of this process is ignored: the user of a scan could put a
 * `getent` of their own there, which would run with the rights of the scan and answer for the system; and a scan
 * started by a timer must see the same machine as one from a terminal.
 */
const DIRECTORIES = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/run/current-system/sw/bin']

/** These directories in the format of PATH. */
export const SYSTEM_PATH: string = DIRECTORIES.join(':')

/** Path of a system program; undefined if there is no executable one. */
export function findSystemProgram(program: string): string | undefined {
  return findProgram(program, DIRECTORIES)
}

/** The environment of this process, with a PATH of system directories. */
export function systemEnvironment(searchPath: string = SYSTEM_PATH): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { ...Object.fromEntries(own), PATH: searchPath }
}
