// The text report: counts per file and kind, then the first differences.

const statuses = ['passed', 'failed', 'stale', 'excepted', 'not-run']

/** A table of counts, the reasons for what was not run, and at most `limit` differences per file. */
export function formatSummary(outcomes, limit) {
  const rows = [...group(outcomes, (outcome) => `${outcome.file} ${outcome.kind}`)].map(([name, members]) => [
    name,
    ...statuses.map((status) => String(count(members, status))),
  ])
  const total = ['total', ...statuses.map((status) => String(count(outcomes, status)))]
  return [
    table([['file and kind', ...statuses], ...rows, total]),
    ...reasons(outcomes),
    ...differences(outcomes, limit),
  ].join('\n')
}

function group(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

function count(outcomes, status) {
  return outcomes.filter((outcome) => outcome.status === status).length
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) => row.map((cell, column) => pad(cell, widths[column], column)).join('  ')).join('\n')
}

function pad(cell, width, column) {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function reasons(outcomes) {
  const skipped = outcomes.filter((outcome) => outcome.status === 'not-run')
  return [...group(skipped, (outcome) => `${outcome.file} ${outcome.kind}: not run, ${outcome.detail}`)].map(
    ([reason, members]) => `${reason} (${members.length})`,
  )
}

function differences(outcomes, limit) {
  const bad = outcomes.filter((outcome) => ['failed', 'stale'].includes(outcome.status))
  return [...group(bad, (outcome) => outcome.file).values()].flatMap((members) => members.slice(0, limit).map(describe))
}

function describe({ file, index, status, required, template, detail }) {
  const what = required ? status : `${status} (not required)`
  return `\n${file}[${index}] ${what}\n  template: ${JSON.stringify(template)}\n  ${detail}`
}
