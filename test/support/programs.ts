import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/** Whether a program is installed. */
export function hasProgram(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':')
  return folders.some((folder) => existsSync(join(folder, name)))
}
