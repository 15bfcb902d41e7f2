import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../../support/temporary.ts'

/** Files by their names in /etc/firewalld. */
export type Configuration = Readonly<Record<string, string>>

/** A directory like /etc/firewalld with these files. */
export function configured(files: Configuration): string {
  const directory = temporaryDirectory()
  for (const kind of ['zones', 'policies', 'services', 'ipsets', 'icmptypes', 'helpers'])
    mkdirSync(join(directory, kind))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}
