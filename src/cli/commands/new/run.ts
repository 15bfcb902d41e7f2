import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { systemReason } from '../../../model/system-reason.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { isTypeName } from '../../../plugin/check-plugin.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { NewInvocation } from './index.ts'
import { pluginFiles } from './plugin-files.ts'

/** Writes a plugin package into a new or empty directory, and returns the exit code. */
export function runNew({ operands: [what = '', directory = ''], options }: NewInvocation, io: Io): number {
  if (what !== 'plugin') throw usageError(`"${what}" is unknown: expected plugin`, 'new')
  const name = basename(resolve(directory))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const type = options.type ?? `my.${name.replaceAll('-', '_')}`
  if (!isTypeName(type))
    throw usageError(`"${type}" is not a valid type name: pass a name such as --type acme.queue`, 'new')
  try {
    mkdirSync(directory, { recursive: true })
    if (readdirSync(directory).length > 0) throw new OperatorError(`${directory} is not empty`)
    for (const [path, text] of pluginFiles(name, type)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
      io.say(`driftgate: wrote ${join(directory, path)}\n`)
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new OperatorError(`cannot write ${directory}: ${systemReason(error)}`, { cause: error })
  }
  return EXIT.ok
}
