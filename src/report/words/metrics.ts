import { basename } from 'node:path'
import { escapeForTerminal } from '../../model/escape.ts'

/** The labels of a sample by their names, which are words of ours. */
export type Labels = Readonly<Record<string, string>>

/** One number of a family. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** What is measured, with a sample per set of labels; no two may have the same. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly samples: readonly Sample[]
}

/**
 * The families with the name of the file that they are written to: of two files with a series of the same labels the collector
 * of node_exporter drops one. Undefined for what is written to no file.
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
 * The families in the text format of Prometheus, without times: when a textfile is read is the time of its samples. A family
 * without samples is left out.
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
