import { once } from '../../../host/once.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { ModulePlace } from '../kernel-modules.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { matchesPattern, normalised } from './modprobe-file.ts'
import type { ModulesPlace } from './place.ts'

type TreePlace = Pick<ModulesPlace, 'root' | 'release'>

/** The module names in the tree of a kernel. */
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
        `${directory}/${name} is missing: what the kernel ${release} could load is not known`,
      )
    }
    return text as Reading<string>
  }
  const loadable = once(() => mapped(read('modules.dep'), (text) => new Set(moduleNames(text))))
  const builtIn = once(() => mapped(read('modules.builtin'), (text) => new Set(moduleNames(text))))
  const aliases = once(() => mapped(read('modules.alias'), plainAliases))
  return {
    find(name) {
      const inside = builtIn()
      if (inside.kind === 'unknown') return inside
      if (inside.value.has(name)) return known('built-in')
      return mapped(loadable(), (names): ModulePlace => (names.has(name) ? 'loadable' : 'absent'))
    },
    aliasOf: (name) =>
      mapped(aliases(), (known) => known.find(({ pattern }) => matchesPattern(pattern, name))?.module ?? null),
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
    pattern: normalised(pattern) ?? pattern,
    module,
  }))
}

function mapped<From, To>(reading: Reading<From>, map: (value: From) => To): Reading<To> {
  return reading.kind === 'unknown' ? reading : known(map(reading.value))
}
