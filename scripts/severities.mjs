// The page that says of every control of the baselines how bad it is where it does not hold, and why: made of the catalogue.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'

/** Describes the lists that number the controls. */
const ABOUT = 'catalogue.yaml'
const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info']

const HEAD = `# Severities of controls

The severity of every control of the baselines that ship, with the reason, worst first within each subject.
[What the words mean](../guide/severities.md) holds for all of them. The numbers of \`cis-\` and \`dev-sec-\` baselines are those of their
documents, and each is the id of the control in the baseline.

<!-- Made by npm run generate of policies/catalogue: change it there. -->
`

/** The text of the page from the catalogue in a folder. */
export function severitiesPage(folder) {
  const controls = readControls(folder)
  const themes = [...new Set(controls.map(({ theme }) => theme))]
  return [HEAD, ...themes.map((theme) => sectionOf(theme, controls))].join('\n')
}

function readControls(folder) {
  const read = (path) => parse(readFileSync(join(folder, path), 'utf8'))
  const numbers = read(ABOUT).lists.map((path) => [
    basename(path, '.yaml'),
    new Map(read(path).catalogue.controls.map((entry) => [entry.split(' ').at(-1), entry.split(' ')[0]])),
  ])
  const files = readdirSync(folder).filter((file) => file !== ABOUT)
  return files.toSorted().flatMap((file) =>
    read(file).map((control) => ({
      ...control,
      theme: basename(file, '.yaml'),
      numbers: numbers.flatMap(([name, ids]) => (ids.has(control.id) ? [[name, ids.get(control.id)]] : [])),
    })),
  )
}

function sectionOf(theme, controls) {
  const ordered = controls
    .filter((control) => control.theme === theme)
    .toSorted((one, other) => rank(one) - rank(other))
  const lines = ['| severity | control | why | in | NIST 800-53 |', '| --- | --- | --- | --- | --- |']
  return [`## ${theme}\n`, ...lines, ...ordered.map(rowOf), ''].join('\n')
}

function rank({ severity }) {
  return SEVERITIES.indexOf(severity)
}

function rowOf({ severity, title, description, numbers, references = {}, nist = [] }) {
  const inBaselines = numbers.map(([name, number]) => `\`${name}\` ${number}`)
  const elsewhere = Object.entries(references).map(([name, those]) => `\`${name}\` ${those.join(' ')}`)
  const cells = [severity, title, description, [...inBaselines, ...elsewhere].join(', '), nist.join(', ')]
  return `| ${cells.map(escaped).join(' | ')} |`
}

function escaped(text) {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[|*<_]/g, String.raw`\$&`)
    .trim()
}
