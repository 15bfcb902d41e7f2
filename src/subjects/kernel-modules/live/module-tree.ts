import { once } from '../../../host/once.ts'
import { known, mapReading, type Reading, unknown } from '../../../model/observation.ts'
import type { ModulePlace } from '../kernel-modules.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { matchesPattern, normalizeName } from './modprobe-file.ts'
import type { ModulesPlace } from './place.ts'

type TreePlace = Pick<ModulesPlace, 'root' | 'release'>

export interface ModuleTree {
  readonly find: (name: string) => Reading<ModulePlace>
  /** The module that a name is an alias of; `null` if it is not an alias. */
  readonly aliasOf: (name: string) => Reading<string | null>
}

/** Opens the module tree of a kernel. Each file is read once, and the aliases only for a name that is not a module. */
export function openModuleTree(probe: Pick<SystemProbe, 'readText'>, { root, release }: TreePlace): ModuleTree {
  const directory = `/lib/modules/${release}`
  const read = (name: string): Reading<string> => {
    const text = probe.readText(`${root}${directory}/${name}`)
    if (text.kind === 'known' && text.value === null) {
      return unknown(
        'not-observable',
        `${directory}/${name} is missing: the modules available to kernel ${release} are unknown`,
      )
    }
    return text as Reading<string>
  }
  const loadable = once(() => mapReading(read('modules.dep'), (text) => new Set(moduleNames(text))))
  const builtIn = once(() => mapReading(read('modules.builtin'), (text) => new Set(moduleNames(text))))
  const aliases = once(() => mapReading(read('modules.alias'), plainAliases))
  return {
    find(name) {
      const inside = builtIn()
      if (inside.kind === 'unknown') return inside
      if (inside.value.has(name)) return known('built-in')
      return mapReading(loadable(), (names): ModulePlace => (names.has(name) ? 'loadable' : 'absent'))
    },
    aliasOf: (name) =>
      mapReading(aliases(), (known) => known.find(({ pattern }) => matchesPattern(pattern, name))?.module ?? null),
  }
}

/** Parses the module names in modules.dep and modules.builtin: `kernel/fs/cramfs/cramfs.ko.xz: …`. */
function moduleNames(text: string): readonly string[] {
  return [...text.matchAll(/^(?:[^:\n]*\/)?([^/:\n]+?)\.ko(?:\.\w+)?(?=:|$)/gm)].map(([, name = '']) =>
    name.replaceAll('-', '_'),
  )
}

/** Aliases that can match a name: device aliases contain colons. */
function plainAliases(text: string): readonly { readonly pattern: string; readonly module: string }[] {
  return [...text.matchAll(/^alias ([^ :\n]+) (\S+)$/gm)].map(([, pattern = '', module = '']) => ({
    pattern: normalizeName(pattern) ?? pattern,
    module,
  }))
}
