import { closeSync, fstatSync } from 'node:fs'
import { openRegularFile, readDescriptor } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { dirname } from 'node:path'
import type { Problem } from '../../model/problem.ts'
import { sourceText } from '../../policy/document/lines.ts'
import { readDocument, saysNothing } from '../../policy/document/read-document.ts'
import { decodeUtf8 } from '../../policy/document/text.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { configValues, type ConfigValues } from './config-values.ts'
import type { FoundConfig } from './find-config.ts'
import { whoCanChange, whoCanWrite } from '../../host/live/who-can-change.ts'

const LARGEST_CONFIG_BYTES = 1024 * 1024

/**
 * Reads the options of a config file, by name. Paths are relative to its directory. Throws an `OperatorError` with all
 * problems and their positions, or because the file is untrusted.
 *
 * A config may load code, so one found next to policies is only used if root and the current user alone can change it
 * and its plugins.
 */
export function readConfig({ file, found }: FoundConfig): ConfigValues {
  const isFound = found === 'beside'
  const bytes = readBytes(file, isFound)
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') throw invalid(file, [text])
  const source = sourceText(file, text)
  // A file with only comments is valid and empty.
  if (saysNothing(text)) return new Map()
  const read = readDocument(source, 'config')
  if (!('root' in read)) throw invalid(file, read.problems)
  const { root, problems: treeProblems } = read
  const { values, problems } = configValues(source, root, {
    directory: dirname(file),
    isNamed: !isFound,
    checkPlugin: isFound ? untrusted : () => undefined,
  })
  const all = [...treeProblems, ...problems]
  if (all.length > 0) throw invalid(file, all)
  return values
}

function readBytes(file: string, mustBeTrusted: boolean): Uint8Array {
  let descriptor: number | undefined
  try {
    descriptor = openRegularFile(file)
    // Also check the open file: the path may have changed meanwhile.
    const reason = mustBeTrusted ? (whoCanChange(file) ?? whoCanWrite(file, fstatSync(descriptor))) : undefined
    if (reason !== undefined) throw refusal(file, reason)
    return readDescriptor(descriptor, LARGEST_CONFIG_BYTES)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const isMissing = errorCode(error) === 'ENOENT'
    const reason = isMissing ? 'no such file' : systemReason(error)
    throw new OperatorError(`cannot read the config ${file}: ${reason}`, { cause: error })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function refusal(file: string, reason: string): OperatorError {
  return new OperatorError(
    `refusing ${file}: ${reason}, and a config file can load code; pass --config if you trust it, otherwise --no-config`,
  )
}

/** Reason why another user can change a plugin. */
function untrusted(path: string): string | undefined {
  const reason = whoCanChange(path)
  return reason === undefined ? undefined : `refusing to load plugin ${path}: ${reason}`
}

function invalid(file: string, problems: readonly Problem[]): OperatorError {
  return new OperatorError(`the config ${file} is not valid`, { problems })
}
