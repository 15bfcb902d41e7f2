/**
 * The version of what plugins are written against: the definition of resource types, the target and remediator they are
 * given, and reports. Only what breaks a plugin raises it.
 */
export const PLUGIN_API_VERSION = 1

// A plugin may bring a copy of driftgate of its own, so the mark is one that all copies share.
const BRAND: unique symbol = Symbol.for('driftgate.resource-type')

/** Marks a resource type as one that was made here, with the version it was made for. */
export function branded<T extends object>(type: T): T {
  return { ...type, [BRAND]: PLUGIN_API_VERSION }
}

/** The version of the plugin API that a resource type was made for; undefined for what is no resource type. */
export function brandOf(value: unknown): number | undefined {
  const version: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, BRAND) : undefined
  return typeof version === 'number' ? version : undefined
}
