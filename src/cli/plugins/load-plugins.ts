import { realpathSync } from 'node:fs'
import process from 'node:process'
import { checkPlugin, type Extensions, type Taken } from '../../plugin/check-plugin.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { importModule } from './import-module.ts'
import { locatePlugin } from './locate-plugin.ts'

const OWN = 'driftgate itself'

/**
 * Adds what plugins bring to what driftgate has by itself, in the order they are named; a module that is named twice is
 * loaded once. Throws an `OperatorError` that says what is wrong with a plugin and which one it is.
 */
export async function loadPlugins(
  names: readonly string[],
  own: Extensions,
  from: string = process.cwd(),
): Promise<Extensions> {
  const loaded = new Set<string>()
  const types = [...own.types]
  const reportFormats = [...own.reportFormats]
  const taken = nothingTaken()
  take(taken, own, OWN)
  for (const name of names) {
    const path = realpathSync(locatePlugin(name, from))
    if (loaded.has(path)) continue
    loaded.add(path)
    const checked = checkPlugin(await importModule(path, name), taken)
    if ('problems' in checked) throw new OperatorError(`plugin ${name}: ${checked.problems.join('; ')}`)
    types.push(...checked.types)
    reportFormats.push(...checked.reportFormats)
    take(taken, checked, `plugin ${name}`)
  }
  // The same list tells those who use it that nothing was added.
  return { types: types.length === own.types.length ? own.types : types, reportFormats }
}

type Names = { readonly [Kind in keyof Taken]: Map<string, string> }

function nothingTaken(): Names {
  return { types: new Map(), reportFormats: new Map(), fileNames: new Map() }
}

function take(taken: Names, { types, reportFormats }: Extensions, owner: string): void {
  for (const { type } of types) taken.types.set(type, owner)
  for (const { name, fileName } of reportFormats) {
    taken.reportFormats.set(name, owner)
    if (fileName !== undefined) taken.fileNames.set(fileName, owner)
  }
}
