import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type fc from 'fast-check'
import type { Effective, Surface } from '../../src/settings/surface.ts'
import { effectiveOf, valueOf } from '../../src/settings/effective.ts'
import { recordFiles } from '../../src/settings/files.ts'
import { hasProgram } from './programs.ts'
import { machineOf } from './setting-machine.ts'
import { sample } from './soak.ts'
import { temporaryDirectory } from './temporary.ts'

/** Texts by their absolute path. */
export type Files = Readonly<Record<string, string>>

/** Why a program cannot be asked here, as the end of a test's name; undefined where it can be. */
export function cannotAsk(programs: readonly string[], rights?: 'root'): string | undefined {
  if (rights === 'root' && process.geteuid?.() !== 0) return 'needs root'
  const missing = programs.filter((program) => !hasProgram(program))
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')}`
}

/** The name of a test, with the reason why it is skipped. */
export function named(title: string, needs: string | undefined): string {
  return needs === undefined ? title : `${title} (${needs})`
}

/** Machines of this kind, the same in every run: 500, or many more in the long one. */
export function machines(arbitrary: fc.Arbitrary<Files>): readonly Files[] {
  return sample(arbitrary, { usual: 200, soak: 10_000 })
}

interface Question {
  /** Runs once, in a namespace of mounts of its own. */
  readonly before?: string
  /** Runs for each machine. */
  readonly each: string
  /** Directories that each machine has, with files or without. */
  readonly directories?: readonly string[]
  /** The text as the program is to read it below a root. */
  readonly moved?: (text: string, root: string) => string
}

/**
 * What a shell script finds out of each machine. Its files lie below the directory `$count` in the current one, and what it
 * writes to `$count/truth` is returned. The script should start few processes: it does so for hundreds of machines.
 */
export function truths(
  all: readonly Files[],
  { before = '', each, directories = [], moved = (text) => text }: Question,
): readonly string[] {
  const directory = temporaryDirectory()
  for (const [index, files] of all.entries()) {
    const root = join(directory, String(index))
    for (const path of ['', ...directories]) mkdirSync(join(root, path), { recursive: true })
    for (const [path, text] of Object.entries(files)) {
      const at = join(root, path)
      mkdirSync(dirname(at), { recursive: true })
      writeFileSync(at, moved(text, root))
    }
  }
  const script = `cd "$1"; ${before}\ncount=0\nwhile [ -d $count ]; do\n${each}\ncount=$((count + 1))\ndone\nwait`
  const [program, ...args] = [
    ...(before === '' ? ['env'] : ['unshare', '--mount']),
    'sh',
    '-c',
    script,
    'sh',
    directory,
  ] as const
  execFileSync(program, args, { stdio: 'pipe', env: { PATH: process.env['PATH'], LC_ALL: 'C' } })
  return all.map((_, index) => readFileSync(join(directory, String(index), 'truth'), 'utf8'))
}

/** The effective values of a key on a machine with these files: for all users first, or why they are unknown. */
export function effectiveOn(
  surface: Surface,
  files: Files,
  keyText: string,
): readonly [Effective, ...Effective[]] | string {
  const { files: machine } = recordFiles(machineOf(files))
  const read = surface.read(machine)
  if (read.kind === 'unknown') return read.detail
  const key = surface.keyOf(keyText)
  if ('problem' in key) throw new Error(key.problem)
  const effective = effectiveOf(surface, read.value, key)
  return effective.kind === 'unknown' ? effective.detail : effective.value
}

/**
 * Whether a value agrees with what a program says: it must be unknown where the program refuses the files, and may be so where
 * their meaning is not clear.
 */
export function agreesWith(ours: string | undefined, theirs: string | undefined): boolean {
  return ours?.startsWith('unknown: ') === true || ours === theirs
}

/** What a script writes in place of the truth where the program refuses the files; it is the value of no key. */
export const REFUSED = 'refused\n'

/** The value for all users: undefined where none is known, `unknown: ...` where a line is not clear. */
export function valueOn(surface: Surface, files: Files, keyText: string): string | undefined {
  const effective = effectiveOn(surface, files, keyText)
  if (typeof effective === 'string') return `unknown: ${effective}`
  const key = surface.keyOf(keyText)
  return 'problem' in key ? undefined : valueOf(effective[0], surface.rulesOf(key))
}
