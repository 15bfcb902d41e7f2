import { spawnSync } from 'node:child_process'

export interface ScrapedSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const METADATA = /^# (HELP|TYPE) (\S+) (.+)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y
const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i

/**
 * Reads the text format of Prometheus and throws at every fault that a scraper or `promtool check metrics` would report:
 * names out of the charset, samples before their HELP and TYPE or apart from their family, metadata twice, the same series
 * twice, counters not named `_total` and the reverse, values that are no finite number, times, a missing last line feed.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function parsePrometheus(text: string): readonly ScrapedSample[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('no line feed at the end')
  const samples: ScrapedSample[] = []
  const described = new Map<string, Set<string>>()
  const series = new Set<string>()
  let current = ''
  for (const line of text.split('\n').slice(0, -1)) {
    const metadata = METADATA.exec(line)
    if (metadata !== null) {
      current = readMetadata(metadata, described, current)
      continue
    }
    const sample = readSample(line)
    if (sample.name !== current) throw new Error(`apart from its family: ${line}`)
    if (described.get(current)?.size !== 2) throw new Error(`before its HELP and TYPE: ${line}`)
    const key = JSON.stringify([
      sample.name,
      Object.entries(sample.labels)
        .map(String)
        .toSorted((a, b) => a.localeCompare(b)),
    ])
    if (series.has(key)) throw new Error(`the same series twice: ${line}`)
    series.add(key)
    samples.push(sample)
  }
  return samples
}

function readMetadata(
  [line, kind = '', name = '', rest = '']: readonly string[],
  described: Map<string, Set<string>>,
  current: string,
): string {
  if (!METRIC_NAME.test(name)) throw new Error(`no name of a metric: ${line}`)
  const known = described.get(name) ?? new Set()
  if (known.has(kind)) throw new Error(`twice: ${line}`)
  if (known.size > 0 && name !== current) throw new Error(`apart from its family: ${line}`)
  if (kind === 'TYPE') {
    if (rest !== 'gauge' && rest !== 'counter') throw new Error(`no type: ${line}`)
    if ((rest === 'counter') !== name.endsWith('_total')) throw new Error(`_total is the end of counters: ${line}`)
  }
  described.set(name, known.add(kind))
  return name
}

function readSample(line: string): ScrapedSample {
  const [, name = '', labelText = '', valueText = ''] = SAMPLE.exec(line) ?? []
  if (name === '') throw new Error(`no sample: ${line}`)
  if (!NUMBER.test(valueText)) throw new Error(`no finite number: ${line}`)
  const labels: [string, string][] = []
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < labelText.length) {
    const [, label, value = ''] = LABEL.exec(labelText) ?? []
    if (label === undefined || label.startsWith('__')) throw new Error(`no label: ${line}`)
    if (labels.some(([taken]) => taken === label)) throw new Error(`a label twice: ${line}`)
    labels.push([label, value.replaceAll(/\\(.)/g, (_match, escaped: string) => (escaped === 'n' ? '\n' : escaped))])
  }
  return { name, labels: Object.fromEntries(labels), value: Number(valueText) }
}

/** Why tests that need promtool are skipped, or undefined where it is installed (Debian package prometheus). */
export const promtoolMissing: string | undefined =
  spawnSync('promtool', ['--version']).status === 0 ? undefined : 'promtool is not installed'

/** What promtool says against a text; the empty string if nothing. */
export function checkMetrics(text: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text })
  const said = `${stdout.toString()}${stderr.toString()}`
  return status === 0 ? said : `exit ${status}: ${said}`
}
