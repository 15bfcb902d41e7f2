import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { needsRoot } from './temporary.ts'

/** Who runs the tests, as a policy names owner and group. */
export const SELF = { owner: String(process.geteuid?.()), group: String(process.getegid?.()) }

/** Writes files by path, made with their directories. */
export function put(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
    // A script may be run.
    chmodSync(join(directory, path), content.startsWith('#!') ? 0o755 : 0o644)
  }
}

/** Why a test of a contract is skipped: a fix of these scenes writes files that belong to root. */
export function needsRootToFix(test: string, scenes: readonly string[]): string | undefined {
  const rules = ['a fix is idempotent', 'foreseen values come true']
  return rules.some((rule) => scenes.some((scene) => test.endsWith(`: ${rule}: ${scene}`))) ? needsRoot : undefined
}
