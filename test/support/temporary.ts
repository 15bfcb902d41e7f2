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
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  })
  return path
}

/** Why a test for the superuser is skipped, or undefined. */
export const needsRoot: string | undefined = process.geteuid?.() === 0 ? undefined : 'needs root'
