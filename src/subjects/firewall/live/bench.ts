import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFollowedStat } from '../../../host/live/file-stat.ts'
import type { Journal } from '../../../host/live/journal.ts'
import { createLocalProbe } from '../../../host/live/probe.ts'
import { remove } from '../../../host/live/remove.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'
import { failureOf } from '../../../host/systemd/systemctl.ts'
import { onThisMachine } from '../../../host/live/site.ts'
import { writeFile } from '../../../host/live/write-file.ts'
import type { Problem, Step } from './steps.ts'

const TIMEOUT_MS = 60_000
const LARGEST_LISTING = 64 * 1024 * 1024

/** What a change is made with. */
export interface Bench {
  readonly journal: Journal
  readonly signal: AbortSignal
}

/** Runs a program to its end, and gives what it printed. */
export async function runProgram(
  [program, ...options]: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<{ readonly printed: string } | { readonly problem: string }> {
  const ended = await runCommand({
    argv: [program, ...options],
    workingDirectory: '/',
    environment: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: LARGEST_LISTING,
    signal,
  })
  const failure = failureOf(ended)
  if (failure !== undefined) return { problem: `${[program, ...options].join(' ')}: ${failure}` }
  return { printed: ended.kind === 'exited' ? ended.stdout : '' }
}

/** Runs a program whose output says nothing. */
export async function runSilently(argv: readonly [string, ...string[]], signal: AbortSignal): Promise<Problem> {
  const ended = await runProgram(argv, signal)
  return 'problem' in ended ? ended.problem : undefined
}

/** A signal that never comes: what is taken back is taken back whole. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal
}

/** Lets a program read a text from a file that no other process sees. */
export async function withScratch<Result>(text: string, use: (file: string) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-firewall-'))
  try {
    const file = join(directory, 'rules')
    writeFileSync(file, text, { mode: 0o600 })
    return await use(file)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** A file as it is; its text is null if absent. */
export interface FileBefore {
  readonly path: string
  readonly text: string | null
}

/** Reads a file that is to be changed; behind a link, the file that the link leads to. */
export function readBefore(path: string): FileBefore | { readonly problem: string } {
  const text = createLocalProbe().readText(path)
  if (text.kind === 'unknown') return { problem: text.detail }
  return { path: text.value === null ? path : realpathSync(path), text: text.value }
}

/** Gives a file another text, and takes that back. */
export function rewriteStep(
  { path, text: before }: FileBefore,
  text: string,
  { journal }: Pick<Bench, 'journal'>,
): Step {
  return {
    carryOut: () => write(path, text, journal),
    async takeBack() {
      if (before !== null) return write(path, before, journal)
      const removed = await remove(path, { recursive: false })
      return removed.kind === 'failed' ? removed.message : undefined
    },
  }
}

async function write(path: string, text: string, journal: Journal): Promise<Problem> {
  const seen = readFollowedStat(path)
  if (seen.kind === 'unknown') return seen.detail
  const { uid, gid, mode } = seen.kind === 'present' ? seen.state : { uid: 0, gid: 0, mode: 0o640 }
  const written = await writeFile(
    path,
    { kind: 'bytes', bytes: Buffer.from(text) },
    { uid, gid, mode },
    onThisMachine(journal),
  )
  return written.kind === 'failed' ? written.message : undefined
}
