import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'

/** Who runs the tests, as a policy names owner and group. */
export const SELF = { owner: String(process.geteuid?.()), group: String(process.getegid?.()) }

/** Writes files by path, made with their directories. */
export function put(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
    chmodSync(join(directory, path), 0o644)
  }
}
