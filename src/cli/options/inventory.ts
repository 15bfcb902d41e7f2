import { dirname } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import type { Result } from '../../core/problem.ts'
import { decodeUtf8 } from '../../document/text.ts'
import { reasonOf } from '../../fetch/files.ts'
import { readFileBytes } from '../../fetch/text-file.ts'
import { chooseTargets } from '../../inventory/choose.ts'
import { type Inventory, readInventory } from '../../inventory/read.ts'
import { below } from './locate.ts'
import { type ChosenTarget, locateTarget, specOf, targetComplaint } from './target.ts'

/**
 * What selectors name of the inventory in a file. Paths of its targets start from where it lies. Throws an `OperatorError` where there is
 * no such file, for mistakes in it, and where there is nothing of what was asked for.
 */
export function targetsOfInventory(
  file: string,
  selectors: readonly string[],
): readonly [ChosenTarget, ...ChosenTarget[]] {
  const read = load(file)
  if (!read.ok) throw new OperatorError(`the inventory ${file} is not valid`, { problems: read.problems })
  const chosen = chooseTargets(read.value, selectors.flatMap(splitSelectors))
  if (chosen.kind === 'refused') throw new OperatorError(`--on: ${chosen.message}`)
  const [first, ...others] = chosen.targets.map(({ spec, ...target }): ChosenTarget => ({
    ...target,
    spec: specOf(locateTarget(spec, (path) => below(dirname(file), path))),
  }))
  if (first === undefined) throw new OperatorError(`the inventory ${file} has no target`)
  return [first, ...others]
}

function load(file: string): Result<Inventory> {
  let bytes: Uint8Array
  try {
    bytes = readFileBytes(file)
  } catch (error) {
    throw new OperatorError(`--targets: ${file} cannot be read: ${reasonOf(error)}`)
  }
  const text = decodeUtf8(file, bytes)
  return typeof text === 'string' ? readInventory(file, text, targetComplaint) : { ok: false, problems: [text] }
}

function splitSelectors(text: string): readonly string[] {
  const selectors = text.split(',').map((selector) => selector.trim())
  if (selectors.includes('')) throw new OperatorError(`--on: empty selector in "${text}"`)
  return selectors
}
