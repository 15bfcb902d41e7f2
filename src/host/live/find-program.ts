import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from './system-error.ts'

/** The path of an executable program in the first directory that has one. */
export function findProgram(program: string, directories: readonly string[]): string | undefined {
  return directories.map((directory) => join(directory, program)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
