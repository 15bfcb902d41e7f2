import { createHash } from 'node:crypto'
import type { Problem, Result } from '../../model/problem.ts'
import { errorAt, sourceText } from '../../policy/document/lines.ts'
import { type Addressee, isSafeName, NAME_RULE } from '../nats/names.ts'
import type { RosterHost } from '../roster.ts'

/** A ring as the operator names it. */
export interface RingShare {
  readonly name: string
  /** How many of the hosts that no ring of the roster places it takes, in percent; absent where it takes none of them. */
  readonly percent?: number
}

/** A ring with the addresses that reach its hosts: `ring.NAME`, and `host.NAME` of each that was chosen by its share. */
export interface PlacedRing {
  readonly name: string
  readonly to: readonly Addressee[]
  /** How many hosts that is at present. */
  readonly hosts: number
}

/**
 * Reads `canary:1%,early:10%,rest`: rings in their order, the last of which takes every other host. All that is wrong is told at once;
 * `name` says where the text stands.
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
    else if (rings.some((earlier) => earlier.name === ring)) complain(start, `ring ${ring} is there already`)
    else if (more.length > 0 || (share !== undefined && percent === undefined))
      complain(start + ring.length + 1, 'behind a ring comes its share of the hosts, such as 10% or 0.5%')
    else if (share !== undefined && at === parts.length - 1)
      complain(start + ring.length + 1, `ring ${ring} is the last one, which takes all other hosts: it has no share`)
    rings.push(percent === undefined ? { name: ring } : { name: ring, percent })
  }
  const sum = rings.reduce((total, { percent = 0 }) => total + percent, 0)
  if (problems.length === 0 && sum > 100) complain(0, `the shares come to ${sum}%, which is more than all hosts`)
  return problems.length === 0 ? { ok: true, value: rings, warnings: [] } : { ok: false, problems }
}

function percentOf(text: string): number | undefined {
  const percent = /^\d{1,3}(?:\.\d{1,3})?%$/.test(text) ? Number(text.slice(0, -1)) : 0
  return percent > 0 && percent <= 100 ? percent : undefined
}

/** Hosts with a ring that this rollout reaches. */
type Member = Pick<RosterHost, 'name'> & { readonly ring: string }

/**
 * Places hosts in rings. A host whose ring of the roster is named is in that one. The others are taken by the shares in the order of a
 * hash of their names, so that it is the same hosts every time, at least one each; the last ring has the other hosts. A host that was chosen
 * by a share is reached by its own address, since that of its ring reaches others, too; and so is one with an assignment of its own
 * (`own`), which counts before that of its ring. Rings without hosts are left out; those that are named without a share and without hosts are in
 * `empty`.
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

/** Finds by which of the addresses a host is reached, by its name and its ring of the roster: its own counts before that of its ring. */
export function createRingFinder<Address extends { readonly to: Addressee }>(
  addresses: readonly Address[],
): (host: Pick<RosterHost, 'name' | 'ring'>) => Address | undefined {
  const known = new Map<string, Address>(addresses.map((address) => [address.to, address]))
  return ({ name, ring }) => known.get(`host.${name}`) ?? (ring === undefined ? undefined : known.get(`ring.${ring}`))
}
