import { spawn } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { copyInShell } from './cp-shell.ts'
import { findSystemProgram, systemEnvironment } from './system-programs.ts'

/** Exists while SELinux is enabled; elsewhere, cp fails if asked for labels. */
const SELINUX = '/sys/fs/selinux/enforce'

/** Options of cp(1). */
export interface CopyOptions {
  /** Words for `--preserve`; labels are added if SELinux is enabled. */
  readonly preserve: readonly string[]
  readonly args: readonly string[]
  /** Descriptors of the command, from 3 on. */
  readonly descriptors: readonly number[]
  readonly timeoutMs: number
}

/**
 * Runs GNU cp(1), because Node has no calls for extended attributes; it fails if it cannot preserve an attribute.
 * Resolves to the problem, or undefined. The files are passed as open descriptors, so that they cannot be replaced
 * meanwhile.
 */
export function runCp({ preserve, args, descriptors, timeoutMs }: CopyOptions): Promise<string | undefined> {
  const program = findSystemProgram('cp')
  if (program === undefined) return Promise.resolve('cp is not installed; install coreutils')
  return new Promise((resolve, reject) => {
    const child = spawn(program, [`--preserve=${withLabels(preserve)}`, ...args], {
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

/** Copies the attributes in `preserve`, without content, from one open file to another. Resolves to the problem, or undefined. */
export async function copyAttributes(
  descriptors: readonly [from: number, to: number],
  { preserve, timeoutMs }: Pick<CopyOptions, 'preserve' | 'timeoutMs'>,
): Promise<string | undefined> {
  const cp = findSystemProgram('cp')
  if (cp !== undefined && (await copyInShell(cp, { preserve: withLabels(preserve), descriptors, timeoutMs })))
    return undefined
  // Once more by itself, for the message.
  const args = ['--attributes-only', '--', '/proc/self/fd/3', '/proc/self/fd/4']
  return runCp({ preserve, args, descriptors, timeoutMs })
}

function withLabels(preserve: readonly string[]): string {
  const labels = lstatSync(SELINUX, { throwIfNoEntry: false }) === undefined ? [] : ['context']
  return [...preserve, ...labels].join(',')
}

function lastLine(text: string): string | undefined {
  return text
    .trim()
    .split('\n')
    .findLast((line) => line !== '')
}
