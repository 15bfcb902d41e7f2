import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { onTestFinished } from 'vitest'
import { DRIFTGATE, type Outcome, PROGRAM, start } from './driftgate.ts'

/** A directory in which a system lies that is fixed, and everything that must not be touched by that. */
export interface Scene {
  /** All of it, removed with the test. */
  readonly home: string
  readonly root: string
  /** Beside the root; hostile links lead here. */
  readonly outside: string
  readonly state: string
}

/** Makes one, and runs shell commands in it: the root is `root`, what must not be touched `outside`. */
export function makeScene(commands: string): Scene {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'driftgate-root-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const [root, outside, state] = ['root', 'outside', 'state'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [root, outside, state]) mkdirSync(path)
  chmodSync(state, 0o700)
  execFileSync('sh', ['-euc', commands], { cwd: home, env: { ...process.env, HOME: home, OUT: outside } })
  return { home, root, outside, state }
}

/**
 * Runs driftgate as root with a state directory of its own, so that neither the lock nor the fixes of others are in the way; `through`
 * is a program that starts it. What is traced is not counted, since counting writes.
 */
export function driftgateApart(
  { home, state }: Scene,
  args: readonly string[],
  through: readonly string[] = [],
): Promise<Outcome> {
  const apart = 'mount --bind "$0" /var/lib/driftgate && exec "$@"'
  const program = through.length === 0 ? PROGRAM : [...through, process.execPath, DRIFTGATE]
  mkdirSync('/var/lib/driftgate', { recursive: true, mode: 0o700 })
  return start('unshare', ['-m', 'sh', '-c', apart, state, ...program, ...args], { cwd: home, env: { TMPDIR: home } })
    .outcome
}

/** Everything that is below a directory, to the last time of its inodes. */
export function everythingBelow(path: string): string {
  return execFileSync(
    'sh',
    ['-euc', "find . -printf '%P %y %m %U %G %n %s %T@ %C@ %l\\n' | sort; find . -type f -exec sha256sum {} + | sort"],
    { cwd: path, encoding: 'utf8' },
  )
}
