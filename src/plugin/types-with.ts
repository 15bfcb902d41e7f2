import type { ResourceType } from '../resource-type/define.ts'
import { settingType } from '../subjects/settings/index.ts'
import type { Surface } from '../settings/surface.ts'
import { surfaces } from '../subjects/settings/surfaces.ts'
import { resourceTypes } from '../subjects/index.ts'
import type { Plugin } from './define-plugin.ts'

/**
 * The resource types that ship and those of plugins; `setting` knows the surfaces of plugins, too. For `types` of `loadPolicy`. Gives
 * `resourceTypes` itself where plugins add nothing to it.
 */
export function typesWith(
  plugins: readonly Pick<Plugin, 'types' | 'surfaces'>[],
  own: readonly ResourceType[] = resourceTypes,
): readonly ResourceType[] {
  const types = plugins.flatMap((each) => each.types ?? [])
  // Nothing but `defineSurface` makes them.
  const more = plugins.flatMap((each) => (each.surfaces ?? []) as readonly Surface[])
  const known = more.length === 0 ? own : own.map((type) => withSurfaces(type, [...surfaces, ...more]))
  return types.length === 0 ? known : [...known, ...types]
}

function withSurfaces(type: ResourceType, all: readonly Surface[]): ResourceType {
  return type.type === 'setting' ? settingType(all) : type
}
