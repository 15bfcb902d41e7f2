import { VERSION } from '../engine/version.ts'
import { didYouMean } from '../core/suggest.ts'
import { escapeForTerminal } from '../core/escape.ts'
import type { Command } from './command.ts'
import { commands } from './commands/index.ts'
import { OperatorError } from './errors.ts'
import type { Io } from './io.ts'
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
    io.say(explain(error, io))
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
  return command.run(await parse(command, rest), io)
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

function explain(error: unknown, { env }: Io): string {
  if (error instanceof OperatorError) {
    const { helpOf } = error
    const help = helpOf === undefined ? '' : `Run "driftgate ${helpOf === '' ? '' : `${helpOf} `}--help" for usage.\n`
    return `driftgate: ${escapeForTerminal(error.message)}\n${help}`
  }
  const message = error instanceof Error ? error.message : String(error)
  const stack = error instanceof Error ? error.stack : undefined
  return isDebugging(env) && stack !== undefined
    ? `driftgate: internal error\n${stack}\n`
    : `driftgate: internal error: ${escapeForTerminal(message)} (set DRIFTGATE_DEBUG=1 for details)\n`
}

function isDebugging(env: Io['env']): boolean {
  return env['DRIFTGATE_DEBUG'] !== undefined && env['DRIFTGATE_DEBUG'] !== ''
}
