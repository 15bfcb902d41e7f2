import { realpathSync } from 'node:fs'
import process from 'node:process'
import { checkPlugin, type Extensions, type PluginParts, type Taken } from '../../plugin/check-plugin.ts'
import { typesWith } from '../../plugin/types-with.ts'
import { factFamilies } from '../../policy/facts/families.ts'
import { loadSurfaces } from '../../subjects/index.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { importModule } from './import-module.ts'
import { locatePlugin } from './locate-plugin.ts'

const OWN = 'driftgate itself'

/**
 * Adds the contents of plugins to the built-in ones, in order; a repeated module is loaded once. Throws an
 * `OperatorError` that names the invalid plugin.
 */
export async function loadPlugins(names: readonly string[], own: Extensions): Promise<Extensions> {
  const loaded = new Set<string>()
  const parts: PluginParts[] = []
  const notes: string[] = []
  const taken = nothingTaken()
  take(taken, { ...own, surfaces: await loadSurfaces(), facts: [...own.facts, ...factFamilies] }, OWN)
  for (const name of names) {
    const path = realpathSync(locatePlugin(name, process.cwd()))
    if (loaded.has(path)) continue
    loaded.add(path)
    const checked = checkPlugin(await importModule(path, name), taken)
    if ('problems' in checked) throw new OperatorError(`plugin ${name}: ${checked.problems.join('; ')}`)
    parts.push(checked)
    notes.push(...(checked.notes ?? []).map((note) => `plugin ${name} ${note}`))
    take(taken, checked, `plugin ${name}`)
  }
  return {
    types: await typesWith(parts),
    reportFormats: [...own.reportFormats, ...parts.flatMap(({ reportFormats }) => reportFormats)],
    facts: [...own.facts, ...parts.flatMap(({ facts }) => facts)],
    notes,
  }
}

interface NamedParts extends Pick<PluginParts, 'types' | 'reportFormats' | 'surfaces'> {
  readonly facts: readonly { readonly name: string }[]
}

type Names = { readonly [Kind in keyof Taken]: Map<string, string> }

function nothingTaken(): Names {
  return { types: new Map(), reportFormats: new Map(), fileNames: new Map(), surfaces: new Map(), facts: new Map() }
}

function take(taken: Names, { types, reportFormats, surfaces: named, facts }: NamedParts, owner: string): void {
  for (const { name } of named) taken.surfaces.set(name, owner)
  for (const { name } of facts) taken.facts.set(name, owner)
  for (const { type } of types) taken.types.set(type, owner)
  for (const { name, fileName } of reportFormats) {
    taken.reportFormats.set(name, owner)
    if (fileName !== undefined) taken.fileNames.set(fileName, owner)
  }
}
