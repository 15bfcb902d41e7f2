import { basename } from 'node:path'
import { escapeForTerminal } from '../../model/escape.ts'

/** The labels of a sample; their names are driftgate's. */
export type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** A metric, with one sample per unique set of labels. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly samples: readonly Sample[]
}

/**
 * Adds the name of the output file as a label: of two files with equal series, the collector of node_exporter drops
 * one. Unchanged without a file.
 */
export function labelByFile(families: readonly Family[], file: string | undefined): readonly Family[] {
  if (file === undefined) return families
  const scan = escapeForTerminal(basename(file).replace(/(?<=.)\.prom$/, ''))
  return families.map((family) => ({
    ...family,
    samples: family.samples.map(({ labels, value }) => ({ labels: { scan, ...labels }, value })),
  }))
}

/**
 * The metrics in the text format of Prometheus, without timestamps: the time of collection applies. Metrics without
 * samples are left out.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function formatFamilies(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels, value }) => `${name}${formatLabels(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('')
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)
}
