import process from 'node:process'
import { findProgram } from './find-program.ts'

/**
 * Where programs of the system lie, and nothing else does that a program of the same name could stand in for. The PATH of
 * this process is never asked: the user of a scan could put a `getent` of their own there, which would run with the
 * rights of the scan and answer for the system; and a scan that a timer starts must see the same machine as one from a
 * terminal.
 */
const DIRECTORIES = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/run/current-system/sw/bin']

/** The same in the form of PATH. */
export const SYSTEM_PATH: string = DIRECTORIES.join(':')

/** Path of a system program; undefined if there is no executable one. */
export function findSystemProgram(program: string): string | undefined {
  return findProgram(program, DIRECTORIES)
}

/** What this process has in its environment, but programs are looked for where those of the system lie. */
export function systemEnvironment(searchPath: string = SYSTEM_PATH): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { ...Object.fromEntries(own), PATH: searchPath }
}
