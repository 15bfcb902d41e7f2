import { dirname, join } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../../model/operator-error.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { decodeUtf8 } from '../../policy/document/text.ts'
import { reasonOf } from '../../policy/fetch/files.ts'
import { listEntries } from '../../policy/fetch/list-entries.ts'
import { readFileBytes } from '../../policy/fetch/text-file.ts'
import { chooseTargets } from '../../remote/inventory/choose.ts'
import type { FilesBeside } from '../../remote/inventory/ansible/variables-beside.ts'
import type { Inventory } from '../../remote/inventory/inventory.ts'
import { passedOverOf, readAnyInventory } from '../../remote/inventory/read-any.ts'
import { below } from './locate.ts'
import { type ChosenTarget, locateTarget, refusedSpec, specOf, targetComplaint } from './target.ts'

/** What was chosen of an inventory. */
export interface ChosenOfFile {
  readonly targets: readonly [ChosenTarget, ...ChosenTarget[]]
  /** What of it driftgate makes nothing of. */
  readonly warnings: readonly Problem[]
}

/**
 * What selectors name of the inventory in a file. Paths of its targets start from where it lies. Throws an `OperatorError` where there is
 * no such file, for mistakes in it, and where there is nothing of what was asked for.
 */
export function targetsOfInventory(file: string, selectors: readonly string[]): ChosenOfFile {
  const read = load(file)
  if (!read.ok) throw new OperatorError(`the inventory ${file} is not valid`, { problems: read.problems })
  const chosen = chooseTargets(read.value, selectors.flatMap(splitSelectors))
  if (chosen.kind === 'refused') throw new OperatorError(`--on: ${chosen.message}`)
  const [first, ...others] = chosen.targets.map(
    ({ spec, refused, passedOver: _passedOver, ...target }): ChosenTarget => ({
      ...target,
      ...(refused.length === 0
        ? { spec: specOf(locateTarget(spec, (path) => below(dirname(file), path))) }
        : { spec: refusedSpec(spec), refused: refused.map(inWords).join('; ') }),
    }),
  )
  if (first === undefined) throw new OperatorError(`the inventory ${file} has no target`)
  return { targets: [first, ...others], warnings: passedOverOf(chosen.targets) }
}

function inWords({ message, position }: Problem): string {
  return position === undefined ? message : `${position.file}:${position.line}: ${message}`
}

function load(file: string): Result<Inventory> {
  const read = readText(file)
  if ('reason' in read) throw new OperatorError(`--targets: ${file} cannot be read: ${read.reason}`)
  if ('message' in read) return { ok: false, problems: [read] }
  const isRoot = process.geteuid?.() === 0
  return readAnyInventory(file, read.text, { complain: targetComplaint, files: filesBeside(dirname(file)), isRoot })
}

function readText(file: string): { readonly text: string } | { readonly reason: string } | Problem {
  try {
    const text = decodeUtf8(file, readFileBytes(file))
    return typeof text === 'string' ? { text } : text
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

/** What lies beside an inventory, in its directory. */
function filesBeside(directory: string): FilesBeside {
  return {
    list(path) {
      const found = listEntries(join(directory, path))
      return 'reason' in found ? unreadable(join(directory, path), found.reason) : found.entries
    },
    read(path) {
      const file = join(directory, path)
      const read = readText(file)
      if ('reason' in read) return unreadable(file, read.reason)
      return 'message' in read ? read : { file, text: read.text }
    },
  }
}

function unreadable(path: string, reason: string): Problem {
  return { message: `${path} cannot be read, and Ansible would: ${reason}`, severity: 'error' }
}

function splitSelectors(text: string): readonly string[] {
  const selectors = text.split(',').map((selector) => selector.trim())
  if (selectors.includes('')) throw new OperatorError(`--on: empty selector in "${text}"`)
  return selectors
}
