import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { MountControl } from '../mounts.ts'
import { writeFailure } from '../../../host/live/system-error.ts'
import { isRunning } from '../../services/systemd/service-manager.ts'
import { failureOf, runProgram } from '../../../host/systemd/systemctl.ts'
import { type MountPlace, mountPlace } from './place.ts'

const TIMEOUT_MS = 120_000

/** Changes the mounts of this machine. */
export function createMountControl(place: MountPlace = mountPlace()): MountControl {
  return {
    remount: ({ path, scope, words }, signal) =>
      // With `bind` the remount affects only this mount and ignores the options in fstab.
      scope === 'mount'
        ? runMountTool(
            ['mount', '--options-mode', 'ignore', '-o', ['remount', 'bind', ...words].join(','), path],
            signal,
          )
        : runMountTool(['mount', '-o', ['remount', ...words].join(','), path], signal),
    checkFstab: (before, after, signal) => checkFstab({ before, after }, signal),
    reload: async (signal) =>
      isRunning(place.systemd)
        ? runMountTool(['systemctl', '--no-ask-password', 'daemon-reload'], signal)
        : { kind: 'done' },
  }
}

async function runMountTool(argv: readonly [string, ...string[]], signal: AbortSignal): Promise<ApplyOutcome> {
  const failure = failureOf(await runProgram(argv, { timeoutMs: TIMEOUT_MS, signal }))
  return failure === undefined ? { kind: 'done' } : { kind: 'failed', message: `${argv.join(' ')}: ${failure}` }
}

async function checkFstab(
  texts: { readonly before: string; readonly after: string },
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  let directory: string | undefined
  try {
    directory = mkdtempSync(join(tmpdir(), 'driftgate-fstab-'))
    const mistakes: string[][] = []
    for (const text of [texts.before, texts.after]) {
      const file = join(directory, 'fstab')
      writeFileSync(file, text)
      const argv = ['findmnt', '--verify', '--tab-file', file] as const
      const outcome = await runProgram(argv, { timeoutMs: TIMEOUT_MS, signal })
      // Exit code 1 means that there are errors, which the old file may have, too.
      if (outcome.kind !== 'exited' || outcome.exitCode > 1) {
        return { kind: 'failed', message: `findmnt --verify: ${failureOf(outcome) ?? 'no answer'}` }
      }
      mistakes.push(mistakesIn(`${outcome.stdout}\n${outcome.stderr}`, file))
    }
    const [old = [], now = []] = mistakes
    const added = now.filter((mistake) => !old.includes(mistake))
    // The same error in another entry has the same text.
    if (added.length === 0 && now.length <= old.length) return { kind: 'done' }
    return {
      kind: 'failed',
      message: `findmnt --verify refuses the new fstab: ${(added.length === 0 ? now : added).join('; ')}`,
    }
  } catch (error) {
    return writeFailure(error, 'could not check the new fstab')
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
}

/** Lines with `[E]`, and those about an unreadable file. */
function mistakesIn(output: string, file: string): string[] {
  return output
    .split('\n')
    .filter((line) => /^\s*\[E\]|parse error/.test(line))
    .map((line) => line.replaceAll(file, 'fstab').trim())
}
