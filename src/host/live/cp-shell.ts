import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { killTree } from './kill-tree.ts'
import { findSystemProgram, SYSTEM_PATH } from './system-programs.ts'

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

/** Lets cp(1) copy attributes between two open files. False if it failed, did not answer in time, or there is no shell. */
export function copyInShell(
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
