import { type StoredSysctl, withFile } from './sysctl-conf.ts'

const HEAD = '# Written by driftgate. A fix writes it again.\n'

/** The file that stores a parameter: one for each, read after all whose names start with a digit. */
export function ownFile(path: string): string {
  const name = path.replace(/[.%]/g, (character) => (character === '.' ? '%2E' : '%25')).replaceAll('/', '.')
  return `/etc/sysctl.d/zz-driftgate-${name}.conf`
}

/** What that file holds once it sets these paths to a value, beside what it sets already, and what is stored then. */
export function withLines(
  stored: StoredSysctl,
  file: string,
  paths: readonly string[],
  value: string,
): { readonly text: string; readonly stored: StoredSysctl } {
  const own = stored.lists.flat().filter((assignment) => assignment.file === file)
  const kept = new Map(own.flatMap(({ key, value: before }) => (before === undefined ? [] : [[key, before] as const])))
  for (const path of paths) kept.set(path, value)
  const text = `${HEAD}${[...kept].map(([key, each]) => `${key} = ${each}\n`).join('')}`
  return { text, stored: withFile(stored, file, text) }
}
