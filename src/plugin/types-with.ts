import type { ResourceType } from '../resource-type/define.ts'
import { settingType } from '../subjects/settings/index.ts'
import type { Surface } from '../settings/surface.ts'
import { loadSurfaces, loadTypes } from '../subjects/index.ts'
import type { Plugin } from './define-plugin.ts'

/**
 * The resource types that ship plus those of plugins, for `types` of `loadPolicy`; `setting` includes the surfaces of
 * plugins.
 */
export async function typesWith(
  plugins: readonly Pick<Plugin, 'types' | 'surfaces'>[],
): Promise<readonly ResourceType[]> {
  const own = await loadTypes()
  // Only `defineSurface` makes surfaces.
  const more = plugins.flatMap((each) => (each.surfaces ?? []) as readonly Surface[])
  const surfaces = more.length === 0 ? [] : [...(await loadSurfaces()), ...more]
  const known = more.length === 0 ? own : own.map((type) => (type.type === 'setting' ? settingType(surfaces) : type))
  return [...known, ...plugins.flatMap((each) => each.types ?? [])]
}
