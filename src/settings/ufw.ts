import { known, type Reading } from '../model/observation.ts'
import { type ShellFile, variableAfter } from './formats/shell.ts'

/** What the init script of ufw reads as shell scripts, in this order. @see /lib/ufw/ufw-init-functions */
export const UFW_SETTINGS = ['/etc/default/ufw', '/etc/ufw/ufw.conf'] as const

/** A variable of ufw; undefined if it is not set, or if one of the files is missing or empty, without which the script ends. */
export function readUfwVariable(
  read: (path: string) => Reading<string | null>,
  name: string,
): Reading<string | undefined> {
  const files: ShellFile[] = []
  for (const file of UFW_SETTINGS) {
    const text = read(file)
    if (text.kind === 'unknown') return text
    if (text.value === null || text.value === '') return known(undefined)
    files.push({ file, text: text.value })
  }
  return variableAfter(files, name)
}

/** Whether the unit of ufw does more than run. */
export function isUfwOn(read: (path: string) => Reading<string | null>): Reading<boolean> {
  const enabled = readUfwVariable(read, 'ENABLED')
  return enabled.kind === 'unknown' ? enabled : known(enabled.value === 'yes' || enabled.value === 'YES')
}
