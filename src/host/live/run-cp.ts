import { spawn } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { findSystemProgram, systemEnvironment } from './system-programs.ts'

/** Is there while the kernel runs SELinux; asking cp for labels elsewhere is an error. */
const SELINUX = '/sys/fs/selinux/enforce'

/** What cp(1) copies beside the content. */
export interface CopyOptions {
  /** Words of its `--preserve`; labels are added where there are any. */
  readonly preserve: readonly string[]
  readonly args: readonly string[]
  /** What the command finds as its descriptors from 3 on. */
  readonly descriptors: readonly number[]
  readonly timeoutMs: number
}

/**
 * Runs cp(1) of GNU, because Node has no calls for extended attributes; it fails where it cannot preserve what it is told to. What
 * went wrong, if anything did. The files are handed to it open, so that they cannot be replaced meanwhile.
 */
export function runCp({ preserve, args, descriptors, timeoutMs }: CopyOptions): Promise<string | undefined> {
  const program = findSystemProgram('cp')
  if (program === undefined) return Promise.resolve('there is no cp; install coreutils')
  const labels = lstatSync(SELINUX, { throwIfNoEntry: false }) === undefined ? [] : ['context']
  return new Promise((resolve, reject) => {
    const child = spawn(program, [`--preserve=${[...preserve, ...labels].join(',')}`, ...args], {
      cwd: '/',
      env: { ...systemEnvironment(), LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe', ...descriptors],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : (lastLine(said) ?? `cp ended with ${code ?? signal}`))
    })
  })
}

/** Copies what `preserve` names, and no content, from one open file to another. What went wrong, if anything did. */
export function copyAttributes(
  descriptors: readonly [from: number, to: number],
  { preserve, timeoutMs }: Pick<CopyOptions, 'preserve' | 'timeoutMs'>,
): Promise<string | undefined> {
  const args = ['--attributes-only', '--', '/proc/self/fd/3', '/proc/self/fd/4']
  return runCp({ preserve, args, descriptors, timeoutMs })
}

function lastLine(text: string): string | undefined {
  return text
    .trim()
    .split('\n')
    .findLast((line) => line !== '')
}
