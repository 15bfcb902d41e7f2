import { createHash } from 'node:crypto'
import type { Problem, Result } from '../../model/problem.ts'
import { errorAt, sourceText } from '../../policy/document/lines.ts'
import { type Addressee, isSafeName, NAME_RULE } from '../nats/names.ts'
import type { RosterHost } from '../roster.ts'

/** A ring on the command line. */
export interface RingShare {
  readonly name: string
  /** Percentage of the hosts outside named roster rings; absent if it takes none of them. */
  readonly percent?: number
}

/** A ring with the addressees that reach its hosts: `ring.NAME`, and `host.NAME` for each host chosen by its share. */
export interface PlacedRing {
  readonly name: string
  readonly to: readonly Addressee[]
  /** Current number of hosts. */
  readonly hosts: number
}

/**
 * Parses `canary:1%,early:10%,rest`: rings in order; the last one takes all remaining hosts. Reports all errors; `name`
 * is the origin of the text.
 */
export function parseRings(name: string, text: string): Result<readonly RingShare[]> {
  const source = sourceText(name, text)
  const problems: Problem[] = []
  const rings: RingShare[] = []
  const complain = (offset: number, message: string): void => void problems.push(errorAt(source, offset, message))
  let offset = 0
  const parts = text.split(',')
  for (const [at, part] of parts.entries()) {
    const start = offset + (part.length - part.trimStart().length)
    offset += part.length + 1
    const [ring = '', share, ...more] = part.trim().split(':')
    const percent = share === undefined ? undefined : percentOf(share)
    if (!isSafeName(ring)) complain(start, `a ring is named by ${NAME_RULE}`)
    else if (rings.some((earlier) => earlier.name === ring)) complain(start, `ring ${ring} is already listed`)
    else if (more.length > 0 || (share !== undefined && percent === undefined))
      complain(start + ring.length + 1, 'a ring must be followed by its share of the hosts, such as 10% or 0.5%')
    else if (share !== undefined && at === parts.length - 1)
      complain(start + ring.length + 1, `ring ${ring} is the last one, which gets all other hosts: omit its share`)
    rings.push(percent === undefined ? { name: ring } : { name: ring, percent })
  }
  const sum = rings.reduce((total, { percent = 0 }) => total + percent, 0)
  if (problems.length === 0 && sum > 100) complain(0, `the shares add up to ${sum}%, more than all hosts`)
  return problems.length === 0 ? { ok: true, value: rings, warnings: [] } : { ok: false, problems }
}

function percentOf(text: string): number | undefined {
  const percent = /^\d{1,3}(?:\.\d{1,3})?%$/.test(text) ? Number(text.slice(0, -1)) : 0
  return percent > 0 && percent <= 100 ? percent : undefined
}

/** Hosts with a ring that the rollout reaches. */
type Member = Pick<RosterHost, 'name'> & { readonly ring: string }

/**
 * Places hosts in rings. A host whose roster ring is named stays in it. The shares take the others, ordered by a hash
 * of their names, so the choice is stable; each share takes at least one host and the last ring takes the rest. A host
 * chosen by a share is addressed individually, since its ring's address reaches other hosts; so is a host with its own
 * assignment (`own`), which takes precedence over that of its ring. Rings without hosts are omitted; named rings
 * without share and hosts are returned in `empty`.
 */
export function placeHosts(
  shares: readonly RingShare[],
  hosts: readonly Member[],
  own: ReadonlySet<string>,
): { readonly rings: readonly PlacedRing[]; readonly empty: readonly string[] } {
  const named = new Set(shares.map(({ name }) => name))
  const last = shares.at(-1)
  const others = hosts
    .filter(({ ring }) => !named.has(ring))
    .toSorted((left, right) => (hashOf(left.name) < hashOf(right.name) ? -1 : 1))
  const total = others.length
  let taken = 0
  const rings = shares.map((share): PlacedRing => {
    const placed = hosts.filter(({ ring }) => ring === share.name)
    const count = share === last ? total : Math.ceil((total * Math.round((share.percent ?? 0) * 1000)) / 100_000)
    const chosen = others.slice(taken, taken + count)
    taken += chosen.length
    const byRing = share === last ? [...placed, ...chosen] : placed
    const byName = [...(share === last ? [] : chosen), ...byRing.filter(({ name }) => own.has(name))]
    const to = [
      ...byRing.flatMap(({ name, ring }): readonly Addressee[] => (own.has(name) ? [] : [`ring.${ring}`])),
      ...byName.map(({ name }): Addressee => `host.${name}`),
    ]
    return { name: share.name, to: [...new Set(to)].toSorted(), hosts: placed.length + chosen.length }
  })
  return {
    rings: rings.filter(({ hosts: count }) => count > 0),
    empty: shares
      .slice(0, -1)
      .flatMap(({ name, percent }, at) => (percent === undefined && rings[at]?.hosts === 0 ? [name] : [])),
  }
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}

/** Finds the address that reaches a host; its own takes precedence over that of its ring. */
export function createRingFinder<Address extends { readonly to: Addressee }>(
  addresses: readonly Address[],
): (host: Pick<RosterHost, 'name' | 'ring'>) => Address | undefined {
  const known = new Map<string, Address>(addresses.map((address) => [address.to, address]))
  return ({ name, ring }) => known.get(`host.${name}`) ?? (ring === undefined ? undefined : known.get(`ring.${ring}`))
}
