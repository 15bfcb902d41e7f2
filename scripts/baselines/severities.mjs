// The page that says of every control of the baselines how bad it is where it does not hold, and why: from the catalogue, so that
// nothing of it is kept twice.

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info']

const HEAD = `# Severities of controls

The severity of every control of the baselines that ship, with the reason, worst first within each subject.
[What the words mean](severities.md) holds for all of them. The numbers of \`cis-\` and \`dev-sec-\` baselines are those of their
documents, and each is the id of the control in the baseline.

<!-- Made by npm run generate of scripts/baselines: change it there. -->
`

/** The text of the page from all controls of the catalogue, each with its `theme`. */
export function severitiesPage(controls) {
  const themes = [...new Set(controls.map(({ theme }) => theme))]
  return [
    HEAD,
    ...themes.map((theme) =>
      sectionOf(
        theme,
        controls.filter((control) => control.theme === theme),
      ),
    ),
  ].join('\n')
}

function sectionOf(theme, controls) {
  const ordered = controls.toSorted((one, other) => rank(one) - rank(other))
  const lines = ['| severity | control | why | in | NIST 800-53 |', '| --- | --- | --- | --- | --- |']
  return [`## ${theme}\n`, ...lines, ...ordered.map(rowOf), ''].join('\n')
}

function rank({ severity }) {
  return SEVERITIES.indexOf(severity)
}

function rowOf({ severity, title, description, numbers, references = {}, nist = [] }) {
  const inBaselines = Object.entries(numbers).map(([name, text]) => `\`${name}\` ${text.split(' ')[0]}`)
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
