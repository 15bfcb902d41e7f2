import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A fresh directory that is removed after the test. Its path holds no symbolic link. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'driftgate-test-'))
  chmodSync(path, 0o755)
  // What a shell has started outlives its kill by a moment, and may make an entry meanwhile.
  onTestFinished(() => {
    // Directories that keep even their owner out would stay.
    if (needsRoot !== undefined) spawnSync('chmod', ['-R', 'u+rwX', path])
    removeWhole(path, 10)
  })
  return path
}

/** Begins anew where an entry came meanwhile; `maxRetries` of `rmSync` does not look again. */
function removeWhole(path: string, tries: number): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 1 })
  } catch (error) {
    if (tries === 1 || !(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
    removeWhole(path, tries - 1)
  }
}

/** Why a test for the superuser is skipped, or undefined. */
export const needsRoot: string | undefined = process.geteuid?.() === 0 ? undefined : 'needs root'
