import type { ResourceType } from '../resource-type/define.ts'
import { settingType } from '../subjects/settings/index.ts'
import type { Surface } from '../settings/surface.ts'
import { resourceTypes, surfaces } from '../subjects/index.ts'
import type { Plugin } from './define-plugin.ts'

/**
 * The resource types that ship plus those of plugins, for `types` of `loadPolicy`; `setting` includes the surfaces of
 * plugins. Returns `own` itself if the plugins add nothing.
 */
export function typesWith(
  plugins: readonly Pick<Plugin, 'types' | 'surfaces'>[],
  own: readonly ResourceType[] = resourceTypes,
): readonly ResourceType[] {
  const types = plugins.flatMap((each) => each.types ?? [])
  // Only `defineSurface` makes surfaces.
  const more = plugins.flatMap((each) => (each.surfaces ?? []) as readonly Surface[])
  const known = more.length === 0 ? own : own.map((type) => withSurfaces(type, [...surfaces, ...more]))
  return types.length === 0 ? known : [...known, ...types]
}

function withSurfaces(type: ResourceType, all: readonly Surface[]): ResourceType {
  return type.type === 'setting' ? settingType(all) : type
}
