import type { Declaration, Origin } from '../../model/policy.ts'

export type PropertyOrigins = ReadonlyMap<string, ReadonlySet<Origin>>

/** Properties that may contain a URL to fetch. */
const ADDRESSES = ['url', 'source'] as const

const WORDS = { environment: 'environment variables', file: 'the content of files' } as const

interface Settled {
  readonly values: Readonly<Record<string, unknown>>
  readonly origins: PropertyOrigins
}

export function foreignOrigins(
  { madeOf }: Pick<Declaration, 'madeOf'>,
  { origins }: Pick<Settled, 'origins'>,
  property: string,
): readonly (keyof typeof WORDS)[] {
  const own = origins.get(property)
  return (['environment', 'file'] as const).filter(
    (origin) => own?.has(origin) === true || madeOf?.has(origin) === true,
  )
}

/**
 * Why a URL of a resource must not be requested, if so: the operator of its server would learn environment variables,
 * or files that only the user of the scan can read.
 */
export function refusedUrl(declaration: Declaration, settled: Settled): string | undefined {
  for (const property of ADDRESSES) {
    const value = settled.values[property]
    if (typeof value !== 'string' || !/^\s*[a-z][a-z\d+.-]*:\/\//i.test(value)) continue
    const found = foreignOrigins(declaration, settled, property)
    if (found.length === 0) continue
    const words = found.map((origin) => WORDS[origin]).join(' and ')
    return `${property}: this URL contains ${words}, which would be sent to its server; pass --url-values to allow that`
  }
  return undefined
}
