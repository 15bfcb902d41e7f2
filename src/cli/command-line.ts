import { EXIT } from '../model/gate.ts'
import { OperatorError } from '../model/operator-error.ts'
import { didYouMean } from '../model/suggest.ts'
import { VERSION } from '../engine/version.ts'
import { type AnyInvocation, type Command, withSubcommands } from './command.ts'
import { commands } from './commands/index.ts'
import { tellFailure, usageError } from './errors.ts'
import type { Io } from './output/io.ts'
import { ONLY_CARRIED, saysOfCarrying } from './options/carry.ts'
import { parse } from './parse.ts'
import { isLimited } from './program.ts'
import { parseRemote } from '../remote/spec.ts'
import { CARRIED } from '../remote/start-script.ts'

/**
 * Runs a command line and returns its exit code. Never throws: usage errors and internal errors become one message on
 * standard error and exit code 1, with the stack of an internal error only if `DRIFTGATE_DEBUG` is set.
 */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io)
  } catch (error) {
    await tellFailure(error, io)
    return EXIT.notPerformed
  }
}

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [word, ...words] = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  if (word === undefined) {
    const { overview } = await import('./help.ts')
    io.say(await overview(commands, io))
    return EXIT.notPerformed
  }
  if (word === '--help' || word === '-h') {
    const { overview } = await import('./help.ts')
    await io.print(await overview(commands, io))
    return EXIT.ok
  }
  if (word === '--version' || word === '-V') {
    await io.print(`${VERSION}\n`)
    return EXIT.ok
  }
  if (word === CARRIED) {
    const { obeyOrder } = await import('./carried/obey-order.ts')
    return obeyOrder(words[0] ?? '', io)
  }
  const [command, rest] = findSubcommand(findCommand(word), words)
  if (rest.includes('--help') || rest.includes('-h')) {
    const { commandHelp } = await import('./help.ts')
    await io.print(await commandHelp(command, io))
    return EXIT.ok
  }
  const invocation = await parse(command, rest, io.env)
  const limits = isLimited(io.env) ? undefined : command.limits(invocation)
  if (limits !== undefined) {
    const { runLimited } = await import('./run-limited.ts')
    return runLimited(args, limits, io)
  }
  return command.travels === true ? runWhereItsTargetIs(command, invocation, io) : command.run(invocation, io)
}

/** Runs a command for its target, on the target itself if that cannot be read from here. */
async function runWhereItsTargetIs(command: Command, invocation: AnyInvocation, io: Io): Promise<number> {
  const { target } = invocation.options
  const remote = typeof target === 'string' ? parseRemote(target) : undefined
  if (remote !== undefined) {
    const refusal = command.refusesThere(invocation)
    if (refusal !== undefined) throw usageError(refusal, command.name)
    return (await import('./run-there.ts')).runCommandThere(remote, command, invocation, io)
  }
  if (saysOfCarrying(invocation.options)) throw usageError(ONLY_CARRIED, command.name)
  return command.run(invocation, io)
}

/** Resolves a subcommand; also returns the remaining words. */
function findSubcommand(command: Command, words: readonly string[]): readonly [Command, readonly string[]] {
  const name = `${command.name} ${words[0] ?? ''}`
  const found = command.subcommands?.find((subcommand) => subcommand.name === name)
  return found === undefined ? [command, words] : [found, words.slice(1)]
}

function findCommand(word: string): Command {
  const command = commands.find(({ name }) => name === word)
  if (command !== undefined) return command
  const names = commands.map(({ name }) => name)
  if (word.startsWith('-')) {
    const owner = withSubcommands(commands).find(({ options }) => word.replace(/^--|=.*$/g, '') in options)
    const hint = owner === undefined ? didYouMean(word, ['--help', '--version']) : `, it belongs after "${owner.name}"`
    throw new OperatorError(`expected a command (${names.join(', ')}) before ${word}${hint}`, { helpOf: '' })
  }
  throw new OperatorError(`unknown command "${word}"${didYouMean(word, names)}`, { helpOf: '' })
}
