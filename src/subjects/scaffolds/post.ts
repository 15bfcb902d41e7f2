import { basename, join } from 'node:path'
import { splitWords } from '../../model/shell-split.ts'
import type { Command, CommandOutcome } from '../../host/command.ts'
import { matchesGlob } from '../../model/go-glob.ts'
import type { ScaffoldDesired } from './state.ts'

const TIMEOUT_MS = 5 * 60_000

const PLACEHOLDER = '{}'

const MAX_SHOWN_OUTPUT = 1000

export function hasPost({ post = [] }: ScaffoldDesired, path: string): boolean {
  return post.some((entry) => Object.keys(entry).some((glob) => matchesGlob(glob, basename(path))))
}

/** Commands for one file, in policy order: the path replaces every `{}`, or is appended. */
export function postCommands(
  { name, post = [] }: ScaffoldDesired,
  path: string,
  signal: AbortSignal,
): readonly Command[] {
  const file = join(name, path)
  return post
    .flatMap((entry) => Object.entries(entry))
    .filter(([glob]) => matchesGlob(glob, basename(path)))
    .map(([, command]) => ({ argv: argumentsOf(command, file), workingDirectory: name, timeoutMs: TIMEOUT_MS, signal }))
}

function argumentsOf(command: string, file: string): Command['argv'] {
  const split = splitWords(command)
  const [program, ...args] = split.ok ? split.words : []
  // The rules of the type reject empty commands.
  if (program === undefined) throw new Error(`post command ${JSON.stringify(command)} is empty`)
  const words = [program, ...args]
  if (!words.some((word) => word.includes(PLACEHOLDER))) return [program, ...args, file]
  const fill = (word: string): string => word.replaceAll(PLACEHOLDER, () => file)
  return [fill(program), ...args.map(fill)]
}

/** Failure of a command, as the end of a sentence; undefined on success. */
export function postFailure({ argv }: Command, outcome: CommandOutcome): string | undefined {
  const [program] = argv
  switch (outcome.kind) {
    case 'not-started':
      return outcome.message
    case 'killed':
      return `${program} was killed: ${outcome.reason}${formatOutput(outcome.output)}`
    case 'exited':
      return outcome.exitCode === 0
        ? undefined
        : `${program} exited with code ${outcome.exitCode}${formatOutput(outcome.output)}`
  }
}

function formatOutput(output: string): string {
  const text = output.trim()
  return text === '' ? '' : `: ${text.slice(-MAX_SHOWN_OUTPUT)}`
}
