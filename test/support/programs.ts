import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/** Whether a program is installed. */
export function hasProgram(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':')
  return folders.some((folder) => existsSync(join(folder, name)))
}

/** Why a test of these programs is skipped, or undefined where all of them are installed. */
export function needsPrograms(...names: readonly string[]): string | undefined {
  const missing = names.filter((name) => !hasProgram(name))
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')}`
}

/** Why a test that traces system calls is skipped; a container may forbid it where strace is installed. */
export const needsStrace: string | undefined =
  spawnSync('strace', ['-f', 'true']).status === 0 ? undefined : 'needs strace, and the right to trace'

/** Why a test on a terminal is skipped: script of util-linux makes it, where the kernel has pseudo-terminals to give. */
export function needsTerminal(): string | undefined {
  const isThere = () => spawnSync('script', ['--quiet', '--command', 'true', '/dev/null']).status === 0
  return needsPrograms('script') ?? (isThere() ? undefined : 'needs pseudo-terminals')
}

/** What a program prints; throws where it fails. */
export function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' })
}
