/**
 * The version of the plugin API: resource type definitions, target, remediator and reports. Only a breaking change
 * raises it. Since version 2, types declare what they use.
 */
export const PLUGIN_API_VERSION = 2

/** The supported versions of the plugin API; an older one causes a note and is removed with the next minor version. */
export const KNOWN_API_VERSIONS = [1, PLUGIN_API_VERSION] as const

/** The shape of the names of plugin types and surfaces: at least two words with dots between them. */
export const PLUGIN_NAME = /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/

export type Part = 'resource-type' | 'surface' | 'facts'

/** Registered symbol: a plugin may bundle its own copy of driftgate, and all copies share the mark. */
function markOf(part: Part): symbol {
  return Symbol.for(`driftgate.${part}`)
}

/** Marks a part of a plugin with the current version of the plugin API. */
export function addBrand<T extends object>(value: T, part: Part): T {
  return { ...value, [markOf(part)]: PLUGIN_API_VERSION }
}

/** The version of the plugin API of a part; undefined if the value is not such a part. */
export function brandOf(value: unknown, part: Part): number | undefined {
  const version: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, markOf(part)) : undefined
  return typeof version === 'number' ? version : undefined
}
