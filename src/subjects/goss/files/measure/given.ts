import type { GossRequest } from '../resource.ts'

type GossAttributes = GossRequest['given']

/** The time limit of a resource in milliseconds; as in Goss, 0 is no limit of its own. */
export function timeoutOf(given: GossAttributes, usual: number): number {
  const timeout = given['timeout']
  return typeof timeout === 'number' && timeout > 0 ? timeout : usual
}

/** A text that the document gives; undefined where it gives none, or an empty one. */
export function textOf(given: GossAttributes, name: string): string | undefined {
  const value = given[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
