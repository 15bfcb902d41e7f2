/**
 * The version of what plugins are written against: the definition of resource types, the target and remediator they are
 * given, and reports. Only what breaks a plugin raises it. Version 2 has types declare what they use.
 */
export const PLUGIN_API_VERSION = 2

/** The versions that plugins may be written for; those before the last with a note, until the next minor version. */
export const KNOWN_API_VERSIONS = [1, PLUGIN_API_VERSION] as const

/** What plugins are made of. */
export type Part = 'resource-type' | 'surface' | 'facts'

/** A plugin may bring a copy of driftgate of its own, so the mark is one that all copies share. */
function markOf(part: Part): symbol {
  return Symbol.for(`driftgate.${part}`)
}

/** Marks a part of a plugin as one that was made here, with the version it was made for. */
export function branded<T extends object>(value: T, part: Part): T {
  return { ...value, [markOf(part)]: PLUGIN_API_VERSION }
}

/** The version of the plugin API that a part was made for; undefined for what is no such part. */
export function brandOf(value: unknown, part: Part): number | undefined {
  const version: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, markOf(part)) : undefined
  return typeof version === 'number' ? version : undefined
}
