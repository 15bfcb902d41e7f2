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

/** A config file and how it was found: named by the operator, or next to a policy. */
export interface FoundConfig {
  readonly file: string
  readonly found: 'named' | 'beside'
}

/** Parsed command line without a config. */
export interface ParsedArguments {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * Config file of a command line: that of `--config`, else the one next to its policies. Throws an `OperatorError` if it
 * is ambiguous.
 */
export function findConfig(command: Command, { operands, options }: ParsedArguments): FoundConfig | undefined {
  const [named, second] = textsOf(options['config'])
  if (second !== undefined) throw usageError('option --config is given more than once', command.name)
  const isOff = options['no-config'] === true
  const isUntrusted = options['untrusted'] === true
  if (named !== undefined && isOff) throw usageError('--config and --no-config are mutually exclusive', command.name)
  if (isOff) return undefined
  // A config next to untrusted policies is untrusted as well.
  if (isUntrusted && named === undefined) return undefined
  if (named !== undefined) return { file: named, found: 'named' }
  const besides = Object.entries(command.options).flatMap(([name, spec]) =>
    spec.kind === 'list' && spec.holds === 'policy' ? textsOf(options[name]) : [],
  )
  const file = configBeside([...policiesAmong(operands, command.operands), ...besides])
  return file === undefined ? undefined : { file, found: 'beside' }
}

/** Policies among the operands; only the first one if the others have another meaning. */
export function policiesAmong(words: readonly string[], operands: Operands | undefined): readonly string[] {
  if (operands?.arePolicies !== true) return []
  if (operands.actions !== undefined) return words.slice(1)
  return operands.others === undefined ? words : words.slice(0, 1)
}

function configBeside(policies: readonly string[]): string | undefined {
  const files = new Map<string, string>()
  // Bundles come from elsewhere, as would a neighbour file; standard input has no directory.
  for (const policy of policies.filter((name) => name !== '-' && !isBundle(name))) {
    const file = join(directoryOf(policy), CONFIG_NAME)
    if (hasFile(file)) files.set(realPathOf(file), file)
  }
  const [first, second] = files.values()
  if (second === undefined) return first
  throw new OperatorError(
    `several config files next to the policies, ${first} and ${second}: select one with --config, or none with --no-config`,
  )
}

function directoryOf(policy: string): string {
  try {
    return statSync(answeringPath(policy)).isDirectory() ? policy : dirname(policy)
  } catch {
    return dirname(policy) // Reading the policy reports the error.
  }
}

/** True also for a broken link, so that it is reported instead of ignored. */
function hasFile(file: string): boolean {
  try {
    return lstatSync(answeringPath(file), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Then the policy is unreadable as well, and its error is clearer.
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
