import {
  compareRegistrations,
  isAskedFor,
  queryProblem,
  type Registration,
  type RegistrationQuery,
} from '../../model/registration.ts'
import { MissingValueError, TemplateError } from '../../templates/errors.ts'
import {
  type GoValue,
  encodeGoJson,
  formatGoValue,
  guardedMap,
  setListMethods,
  stringMap,
} from '../../templates/govalue/index.ts'

type Fetched<Value> = { readonly value: Value } | { readonly message: string }

export interface RemoteSources {
  readonly value: (bucket: string, key: string) => Promise<Fetched<string>>
  readonly registered: () => Promise<Fetched<readonly { readonly subject: string; readonly entry: Registration }[]>>
}

/**
 * Values on a server for synchronous templates: a missing value ends the evaluation, is fetched, and the evaluation is
 * repeated. Each value is fetched once, so that all evaluations see one state.
 */
export interface RemoteValues {
  /** The value of a key. Throws a `TemplateError` if it does not exist or is not fetched yet. */
  readonly kvGet: (bucket: string, key: string) => string
  /** The matching registrations. Throws as `kvGet` does; an unreadable registry never counts as empty. */
  readonly registrations: (query: RegistrationQuery) => GoValue
  /** Repeats work until no value is missing. Earlier results are dropped, so the work must be repeatable. */
  readonly complete: Complete
}

/** Repeats work while values it requested had to be fetched; synchronous if there were no such values. */
export type Complete = <Result>(work: () => Result) => Result | Promise<Awaited<Result>>

/** Maximum number of different requests of one run. */
const MOST_NEEDS = 10_000

export function createRemoteValues(sources: RemoteSources): RemoteValues {
  const values = createNeeds<string>()
  const registry = createNeeds<readonly { readonly subject: string; readonly entry: Registration }[]>()
  const lists = new Map<string, GoValue>()
  const missed = (): number => values.missed() + registry.missed()
  const fetchAll = async (): Promise<void> => {
    await Promise.all([values.fetch(), registry.fetch()])
  }
  const complete = <Result>(work: () => Result): Result | Promise<Awaited<Result>> => {
    const before = missed()
    const again = async (): Promise<Awaited<Result>> => {
      await fetchAll()
      return await complete(work)
    }
    try {
      const result = work()
      if (result instanceof Promise)
        return result.then((done: Awaited<Result>) => (missed() === before ? done : again()))
      return missed() === before ? result : again()
    } catch (error) {
      if (missed() === before) throw error
      return again()
    }
  }
  return {
    kvGet: (bucket, key) => {
      const found = values.get(JSON.stringify([bucket, key]), () => sources.value(bucket, key))
      if ('value' in found) return found.value
      throw kvError({ bucket, key }, found.message)
    },
    registrations(query) {
      const problem = queryProblem(query)
      if (problem !== undefined) throw new TemplateError(`registrations: ${problem}, so nothing could be found`)
      const found = registry.get('', sources.registered)
      if ('message' in found) throw unknownValueError(`could not query registrations: ${found.message}`)
      const key = JSON.stringify(query)
      const known = lists.get(key)
      if (known !== undefined) return known
      const entries = found.value.filter(({ subject }) => isAskedFor(subject, query)).map(({ entry }) => entry)
      const list = registrationList(entries.toSorted(compareRegistrations))
      lists.set(key, list)
      return list
    },
    complete,
  }
}

function kvError({ bucket, key }: { readonly bucket: string; readonly key: string }, message: string): TemplateError {
  const [shownBucket, shownKey] = [JSON.stringify(bucket), JSON.stringify(key)]
  if (message === 'nats: bucket not found') {
    return new TemplateError(`could not access KV bucket ${shownBucket}: ${message}`)
  }
  const full = `could not get key ${shownKey} from bucket ${shownBucket}: ${message}`
  return message === 'nats: key not found' ? new TemplateError(full) : unknownValueError(full)
}

/** An error about unknown content. */
function unknownValueError(message: string): TemplateError {
  return new MissingValueError(message, { certainty: 'unknown' })
}

interface Needs<Value> {
  /** A fetched value. Throws a `TemplateError` if it is not fetched yet. */
  readonly get: (key: string, fetch: () => Promise<Fetched<Value>>) => Fetched<Value>
  /** Number of requests for values that were not fetched yet. */
  readonly missed: () => number
  readonly fetch: () => Promise<void>
}

function createNeeds<Value>(): Needs<Value> {
  const known = new Map<string, Fetched<Value>>()
  const wanted = new Map<string, () => Promise<Fetched<Value>>>()
  let missed = 0
  return {
    get(key, fetch) {
      const found = known.get(key)
      if (found !== undefined) return found
      if (known.size + wanted.size >= MOST_NEEDS) throw new TemplateError(`more than ${MOST_NEEDS} keys are requested`)
      wanted.set(key, fetch)
      missed++
      throw new TemplateError('a server value is not fetched yet')
    },
    missed: () => missed,
    async fetch() {
      const fetching = [...wanted].map(async ([key, fetch]) => {
        const found = await fetch()
        known.set(key, found)
        wanted.delete(key)
      })
      await Promise.all(fetching)
    },
  }
}

/**
 * Registrations as CCM provides them to templates: a list of entries with Go's names, and the method
 * `PrometheusFileSD`.
 * @see CCM's `model/registration.go`
 */
function registrationList(entries: readonly Registration[]): GoValue {
  return setListMethods(entries.map(entryValue), new Map([['PrometheusFileSD', () => prometheusFileSd(entries)]]))
}

function entryValue({ cluster, service, protocol, address, port, priority, annotations, ttl }: Registration): GoValue {
  const fields: readonly (readonly [string, GoValue])[] = [
    ['Cluster', cluster],
    ['Service', service],
    ['Protocol', protocol],
    ['Address', address],
    ['Port', port === undefined ? null : BigInt(Math.trunc(port))],
    ['Priority', BigInt(Math.trunc(priority))],
    ['Annotations', stringMap(Object.entries(annotations))],
    ['TTL', ttl ?? null],
  ]
  const names = fields.map(([name]) => name).join(', ')
  return guardedMap(fields, (key) => {
    throw new MissingValueError(`a registration has no ${formatGoValue(key)}, it has ${names}`, { certainty: 'none' })
  })
}

const SCRAPE = 'prometheus.io/scrape'

/** Valid label names; names with two leading underscores are reserved by Prometheus. */
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/

/**
 * The targets in the format of Prometheus' `file_sd_configs`: one group per cluster, service and protocol, with the
 * annotations of the first entry as labels. A service whose name is not that of a Prometheus service must be annotated
 * for scraping.
 */
function prometheusFileSd(entries: readonly Registration[]): string {
  const groups = new Map<string, { readonly labels: GoValue; readonly targets: string[] }>()
  for (const entry of entries.filter(isScraped)) {
    const { cluster, service, protocol, address, port } = entry
    const key = JSON.stringify([cluster, service, protocol])
    const group = groups.get(key) ?? { labels: labelsOf(entry), targets: [] }
    group.targets.push(`${address}:${port}`)
    groups.set(key, group)
  }
  const value = [...groups.values()].map(
    ({ labels, targets }): GoValue =>
      new Map<GoValue, GoValue>([
        ['labels', labels],
        ['targets', targets],
      ]),
  )
  return encodeGoJson(value, { indent: '  ' })
}

function isScraped({ service, protocol, port = 0, annotations }: Registration): boolean {
  if (port === 0) return false
  const isOfPrometheus = service === 'prometheus' || protocol === 'prometheus'
  return (annotations[SCRAPE] ?? (isOfPrometheus ? 'true' : '')) === 'true'
}

function labelsOf({ cluster, service, protocol, annotations }: Registration): GoValue {
  const labels = Object.entries(annotations).filter(([name, value]) => value !== '' && LABEL.test(name))
  return new Map<GoValue, GoValue>([['cluster', cluster], ['service', service], ['protocol', protocol], ...labels])
}
