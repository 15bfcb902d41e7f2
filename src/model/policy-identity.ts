import type { Problem } from './problem.ts'

/** The identity of a policy: its id may be a file name, which several policies share. */
export interface PolicyIdentity {
  readonly id: string
  /** The file name as the operator wrote it. */
  readonly source: string
  readonly sha256: string
}

/** The source in canonical form. A digest in the name of a bundle is its version and is removed. */
export function placeOf(source: string): string {
  return source
    .replace(/\b[0-9a-f]{64}\b/g, '')
    .replaceAll('/./', '/')
    .replace(/^(?:\.\/+)+/, '')
}

/** Whether two sources may be the same file: one may be relative and the other absolute. */
export function isSamePlace(left: string, right: string): boolean {
  const [one, other] = [placeOf(left), placeOf(right)]
  if (one === other) return true
  if (one.startsWith('/') === other.startsWith('/')) return false
  return one.startsWith('/') ? one.endsWith(`/${other}`) : other.endsWith(`/${one}`)
}

/** Whether two runs of one host contain the same policy: same id, and same place or content. */
export function isSamePolicy(left: PolicyIdentity, right: PolicyIdentity): boolean {
  return left.id === right.id && (left.sha256 === right.sha256 || isSamePlace(left.source, right.source))
}

/**
 * Pairs the policies of an earlier run with those of a later run of the same host, one to one: by place, then by
 * content, then by an id that is not the file name.
 */
export function pairPolicies<Before extends PolicyIdentity, After extends PolicyIdentity>(
  before: readonly Before[],
  after: readonly After[],
): ReadonlyMap<Before, After> {
  const pairs = new Map<Before, After>()
  const taken = new Set<After>()
  for (const isPair of RULES) {
    const open = after.filter((each) => !taken.has(each))
    for (const earlier of before.filter((each) => !pairs.has(each))) {
      const found = open.filter((later) => isPair(earlier, later))
      const [later] = found
      if (later === undefined || found.length > 1 || taken.has(later)) continue
      pairs.set(earlier, later)
      taken.add(later)
    }
  }
  return pairs
}

const RULES: readonly ((left: PolicyIdentity, right: PolicyIdentity) => boolean)[] = [
  (left, right) => left.id === right.id && placeOf(left.source) === placeOf(right.source),
  (left, right) => left.id === right.id && isSamePlace(left.source, right.source),
  (left, right) => left.id === right.id && left.sha256 === right.sha256,
  (left, right) => isSamePlace(left.source, right.source),
  (left, right) => left.sha256 === right.sha256,
  (left, right) => left.id === right.id && left.id !== stemOf(left.source) && right.id !== stemOf(right.source),
]

/**
 * Unique ids for policies. A policy with a unique id keeps it; others are prefixed with as many directories as
 * necessary: `db/site` and `web/site`.
 */
export function distinctIds(policies: readonly Omit<PolicyIdentity, 'sha256'>[]): readonly string[] {
  const shared = findRepeated(policies.map(({ id }) => id))
  if (shared.size === 0) return policies.map(({ id }) => id)
  const ids = policies.map(({ id }) => id)
  const longest = Math.max(...policies.map(({ source }) => wordsOf(source).length))
  for (let length = 1; length <= longest; length++) {
    const again = findRepeated(ids)
    for (const [index, { id, source }] of policies.entries()) {
      if (!again.has(ids[index] ?? '') || !shared.has(id)) continue
      const words = wordsOf(source)
      const path = id === words.at(-1) ? words.slice(0, -1) : words
      ids[index] = [...path.slice(-length), id].join('/')
    }
  }
  const again = findRepeated(ids)
  return ids.map((id, index) => {
    const before = ids.slice(0, index).filter((each) => each === id).length
    return again.has(id) && before > 0 ? `${id}#${before + 1}` : id
  })
}

function findRepeated(ids: readonly string[]): ReadonlySet<string> {
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
}

/** The directories of a file and its name without extension. */
function wordsOf(source: string): readonly string[] {
  const words = placeOf(source)
    .split('/')
    .filter((word) => word !== '')
  const [name = '', ...directories] = words.toReversed()
  return [...directories.toReversed(), name.replace(/(?<=.)\.[^.]*$/, '')]
}

function stemOf(source: string): string {
  return wordsOf(source).at(-1) ?? ''
}

/** Policies with unique ids; a warning about each duplicate id is added to the problems. */
export function distinguish<Each extends Omit<PolicyIdentity, 'sha256'>>(
  policies: readonly Each[],
  before: readonly Problem[] = [],
): { readonly policies: readonly Each[]; readonly problems: Problem[] } {
  const ids = distinctIds(policies)
  const shared = findRepeated(policies.map(({ id }) => id))
  const named = policies.map((policy, index) => {
    const id = ids[index] ?? policy.id
    return id === policy.id ? policy : { ...policy, id }
  })
  const problems = [...shared].map((id): Problem => {
    const names = named.flatMap((each, index) => (policies[index]?.id === id ? [`"${each.id}" (${each.source})`] : []))
    const message = `${names.length} policies have the id "${id}" and are reported as ${names.join(', ')}`
    return { message: `${message}; give each a separate "policy: { id: … }"`, severity: 'warning' }
  })
  return { policies: named, problems: [...before, ...problems] }
}
