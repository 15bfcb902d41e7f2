import { VERSION } from '../engine/version.ts'
import { didYouMean } from '../core/suggest.ts'
import type { Command } from './command.ts'
import { commands } from './commands/index.ts'
import { describeFailure } from './errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Io } from './output/io.ts'
import { isLimited } from './limits/limited.ts'
import { parse } from './parse.ts'

const EXIT_NOT_PERFORMED = 1

/**
 * Runs one command line and returns its exit code. Never throws: wrong usage and internal errors become one message on
 * standard error and exit code 1, the stack of an internal error only with `DRIFTGATE_DEBUG`.
 */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io)
  } catch (error) {
    if (error instanceof OperatorError && error.problems.length > 0) {
      const { reportProblems } = await import('./problems.ts')
      await reportProblems(error.problems, io)
    } else {
      io.say(describeFailure(error, io.env))
    }
    return EXIT_NOT_PERFORMED
  }
}

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [word, ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  if (word === undefined) {
    const { overview } = await import('./help.ts')
    io.say(await overview(commands))
    return EXIT_NOT_PERFORMED
  }
  if (word === '--help' || word === '-h') {
    const { overview } = await import('./help.ts')
    await io.print(await overview(commands))
    return 0
  }
  if (word === '--version' || word === '-V') {
    await io.print(`${VERSION}\n`)
    return 0
  }
  const command = findCommand(word)
  if (rest.includes('--help') || rest.includes('-h')) {
    const { commandHelp } = await import('./help.ts')
    await io.print(await commandHelp(command))
    return 0
  }
  const invocation = await parse(command, rest)
  const limits = isLimited(io.env) ? undefined : command.limits(invocation)
  if (limits === undefined) return command.run(invocation, io)
  const { runLimited } = await import('./limits/run-limited.ts')
  return runLimited(args, limits, io)
}

function findCommand(word: string): Command {
  const command = commands.find(({ name }) => name === word)
  if (command !== undefined) return command
  const names = commands.map(({ name }) => name)
  if (word.startsWith('-')) {
    const owner = commands.find(({ options }) => word.replace(/^--|=.*$/g, '') in options)
    const hint = owner === undefined ? didYouMean(word, ['--help', '--version']) : `, it belongs after "${owner.name}"`
    throw new OperatorError(`expected a command (${names.join(', ')}) before ${word}${hint}`, { helpOf: '' })
  }
  throw new OperatorError(`unknown command "${word}"${didYouMean(word, names)}`, { helpOf: '' })
}
