/** Runs in a PID namespace of its own: starts processes, and prints what is seen of them beside what ps shows. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { openProcesses } from '../../src/subjects/processes/live/processes.ts'

/** What is printed as JSON: each process as `pid|parent|real uid|effective uid|command|arguments`. */
export interface ShownProcesses {
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
  /** Executables by the names that the test has given. */
  readonly executables: Readonly<Record<string, unknown>>
  readonly unseen: unknown
}

const NOBODY = 65534

/** The thread that the program was started as ends, and another goes on. */
const HEADLESS = `
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).pthread_exit(None)`

/** Names that programs can have; ps and the kernel cut off what is longer than 15 bytes. */
export const NAMES = [
  'plain',
  'with space',
  'a) S 1 (b',
  'line\nfeed',
  'a-name-of-more-than-fifteen-bytes',
  'x (deleted)',
] as const

/** Starts them in a directory, with copies of sleep(1) under other names. */
export async function showProcesses(directory: string): Promise<void> {
  const started: ChildProcess[] = []
  const start = (name: string, args: readonly string[] = ['60'], uid = 0): ChildProcess => {
    const child = spawn(join(directory, name), args, { stdio: 'ignore', uid })
    started.push(child)
    return child
  }
  const names: Record<string, number | undefined> = {}
  for (const name of [...NAMES, 'removed', 'replaced']) {
    copyFileSync('/bin/sleep', join(directory, name))
    names[name] = start(name, name === 'plain' ? ['59', '1'] : undefined, name === 'plain' ? NOBODY : undefined).pid
  }
  rmSync(join(directory, 'removed'))
  rmSync(join(directory, 'replaced'))
  copyFileSync('/bin/sleep', join(directory, 'replaced'))
  writeFileSync(join(directory, 'script'), '#!/bin/sh\nwhile :; do sleep 60; done\n')
  chmodSync(join(directory, 'script'), 0o755)
  names['script'] = start('script').pid
  started.push(spawn('sh', ['-c', 'true & exec sleep 60'], { stdio: 'ignore' }))
  const headless = spawn('python3', ['-c', HEADLESS], { stdio: 'ignore' })
  started.push(headless)
  names['headless'] = headless.pid
  // The one that ends beside sleep(1), and the thread above; all others run when spawn returns.
  while (!ZOMBIES.every((kind) => listed('stat=').some((stat) => kind.test(stat)))) await new Promise(setImmediate)
  process.stdout.write(JSON.stringify(compare(names)))
  for (const child of started) child.kill('SIGKILL')
}

/** Ended as a whole, and with a thread that runs on. */
const ZOMBIES = [/^Z[^l]*$/, /^Z.*l/]

function compare(names: Readonly<Record<string, number | undefined>>): ShownProcesses {
  const list = openProcesses().list()
  if (list.kind === 'unknown') throw new Error(list.detail)
  const { processes, unseen } = list.value
  const ours = processes.map(({ pid, parentPid, realUid, effectiveUid, command, arguments: words }) => {
    return [
      pid,
      parentPid,
      realUid,
      effectiveUid,
      command.replace(/\n/g, '?'),
      pid === names['headless'] ? '' : words.join(' ').replace(/\n/g, ' '),
    ].join('|')
  })
  const executables = Object.entries(names).map(([name, pid]) => {
    return [name, processes.find((each) => each.pid === pid)?.executable] as const
  })
  return { ours, theirs: shownByPs(), executables: Object.fromEntries(executables), unseen }
}

/** A zombie that has no thread left is no process that runs; of another ps shows no arguments. A line feed is another character to ps. */
function shownByPs(): readonly string[] {
  const [rows, commands, texts] = [listed('pid=,ppid=,ruid=,euid=,stat='), listed('comm='), listed('args=')]
  return rows.flatMap((row, index) => {
    const [pid, parent, real, effective, stat = ''] = row.trim().split(/\s+/)
    const command = commands[index]?.replace(/ <defunct>$/, '')
    if (command === 'ps' || (stat.startsWith('Z') && !stat.includes('l'))) return []
    return [[pid, parent, real, effective, command, stat.startsWith('Z') ? '' : texts[index]].join('|')]
  })
}

function listed(columns: string): readonly string[] {
  return execFileSync('ps', ['-eww', '-o', columns], { encoding: 'utf8' }).trimEnd().split('\n')
}
