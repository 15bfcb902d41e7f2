import type { Registration } from '../../model/registration.ts'
import { MissingValueError } from '../../templates/errors.ts'
import {
  encodeGoJson,
  formatGoValue,
  guardedMap,
  type GoValue,
  setListMethods,
  stringMap,
} from '../../templates/govalue/index.ts'

/**
 * Registrations as CCM provides them to templates: a list of entries with Go's names, and the method
 * `PrometheusFileSD`.
 * @see CCM's `model/registration.go`
 */
export function registrationList(entries: readonly Registration[]): GoValue {
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
