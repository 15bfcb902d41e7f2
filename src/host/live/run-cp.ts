import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { closeSync, lstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { findSystemProgram, SYSTEM_PATH, systemEnvironment } from './system-programs.ts'
import { killTree } from './kill-tree.ts'

/** Descriptor 3 is the directory of our descriptors; it stays ours even if another process gets our number. */
const SCRIPT = `while read -r preserve from to; do
  "$0" "--preserve=$preserve" --attributes-only -- "/proc/self/fd/3/$from" "/proc/self/fd/3/$to" </dev/null && printf y || printf n
done`

/** A shell that starts cp(1) for many pairs of files, since starting a process takes Node much longer. */
interface CpShell {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  /** Called with the answers, in the order of the requests. */
  readonly waiting: ((isDone: boolean) => void)[]
}

let running: CpShell | undefined

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

/** Lets cp(1) copy attributes between two open files. False if it failed, did not answer in time, or there is no shell. */
function copyInShell(
  cp: string,
  { preserve, descriptors, timeoutMs }: { preserve: string; descriptors: readonly [number, number]; timeoutMs: number },
): Promise<boolean> {
  const shell = (running ??= start(cp))
  if (shell === undefined) return Promise.resolve(false)
  const { child, waiting } = shell
  return new Promise((resolve) => {
    const timer = setTimeout(() => killTree(child), timeoutMs)
    setReferenced(shell, true)
    waiting.push((isDone) => {
      clearTimeout(timer)
      setReferenced(shell, waiting.length > 0)
      resolve(isDone)
    })
    child.stdin.write(`${preserve} ${descriptors.join(' ')}\n`)
  })
}

function start(cp: string): CpShell | undefined {
  const sh = findSystemProgram('sh')
  if (sh === undefined) return undefined
  const own = openSync('/proc/self/fd', 'r')
  try {
    const env = { PATH: SYSTEM_PATH, LC_ALL: 'C' }
    const child = spawn(sh, ['-c', SCRIPT, cp], {
      cwd: '/',
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore', own],
    })
    const shell: CpShell = { child: child as CpShell['child'], waiting: [] }
    const end = (): void => {
      if (running === shell) running = undefined
      for (const answer of shell.waiting.splice(0)) answer(false)
    }
    child.on('error', end).on('close', end)
    // Without a process there may be no streams.
    if (child.pid === undefined) return undefined
    shell.child.stdin.on('error', end)
    shell.child.stdout.on('data', (answers: Buffer) => {
      for (const answer of answers.toString('latin1')) shell.waiting.shift()?.(answer === 'y')
    })
    return shell
  } finally {
    closeSync(own)
  }
}

/** Whether the shell keeps this process alive; it ends with its standard input. */
function setReferenced({ child }: CpShell, isHeld: boolean): void {
  for (const each of [child, child.stdin, child.stdout]) {
    if (!(each === child || each instanceof Socket)) continue
    if (isHeld) each.ref()
    else each.unref()
  }
}
