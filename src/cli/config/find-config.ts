import { lstatSync, realpathSync, statSync } from 'node:fs'
import { answeringPath } from '../../host/live/hanging.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { dirname, join } from 'node:path'
import { CONFIG_NAME } from '../../policy/fetch/config-name.ts'
import { isBundle } from '../../policy/fetch/remote.ts'
import type { Command, Operands } from '../command.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { usageError } from '../errors.ts'

/** A config file, and who says that it is to be used: the operator, or where it lies. */
export interface FoundConfig {
  readonly file: string
  readonly found: 'named' | 'beside'
}

/** What a command line says before any config. */
export interface ParsedArguments {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * The config file for a command line: the one of `--config`, else the one beside its policies, else none. Throws an
 * `OperatorError` where that is not clear.
 */
export function findConfig(command: Command, { operands, options }: ParsedArguments): FoundConfig | undefined {
  const [named, second] = textsOf(options['config'])
  if (second !== undefined) throw usageError('option --config is given more than once', command.name)
  const isOff = options['no-config'] === true
  const isUntrusted = options['untrusted'] === true
  if (named !== undefined && isOff) throw usageError('--config and --no-config contradict each other', command.name)
  if (isOff) return undefined
  // What lies beside the policies of others is theirs, too.
  if (isUntrusted && named === undefined) return undefined
  if (named !== undefined) return { file: named, found: 'named' }
  const besides = Object.entries(command.options).flatMap(([name, spec]) =>
    spec.kind === 'list' && spec.holds === 'policy' ? textsOf(options[name]) : [],
  )
  const file = configBeside([...policiesAmong(operands, command.operands), ...besides])
  return file === undefined ? undefined : { file, found: 'beside' }
}

/** The policies among operands. Where these mean different things, the first is it. */
export function policiesAmong(words: readonly string[], operands: Operands | undefined): readonly string[] {
  if (operands?.arePolicies !== true) return []
  if (operands.actions !== undefined) return words.slice(1)
  return operands.others === undefined ? words : words.slice(0, 1)
}

function configBeside(policies: readonly string[]): string | undefined {
  const files = new Map<string, string>()
  // Bundles come from elsewhere, and so would what lies beside them; standard input lies nowhere.
  for (const policy of policies.filter((name) => name !== '-' && !isBundle(name))) {
    const file = join(directoryOf(policy), CONFIG_NAME)
    if (exists(file)) files.set(realPathOf(file), file)
  }
  const [first, second] = files.values()
  if (second === undefined) return first
  throw new OperatorError(
    `there are several configs beside the policies, ${first} and ${second}: choose one with --config, or none with --no-config`,
  )
}

function directoryOf(policy: string): string {
  try {
    return statSync(answeringPath(policy)).isDirectory() ? policy : dirname(policy)
  } catch {
    return dirname(policy) // What is wrong with the policy is said when it is read.
  }
}

/** A link that leads nowhere is there, too: what is wrong with it is better said than passed over. */
function exists(file: string): boolean {
  try {
    return lstatSync(answeringPath(file), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Where the directory cannot be entered, the policy cannot be read either, and that is said in better words.
    if (['EACCES', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')) return false
    throw new OperatorError(`cannot look for ${file}: ${systemReason(error)}`, { cause: error })
  }
}

function realPathOf(file: string): string {
  try {
    return realpathSync(answeringPath(file))
  } catch {
    return file // A broken link is reported when the file is opened.
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
