// What was covered, as figures and as a table for people.

/** Rules and recommendations of one profile: how many there are, and how many are covered. */
export function ratio(rules) {
  const recommendations = new Map()
  for (const { cis = [], resources } of rules) {
    for (const id of cis) recommendations.set(id, (recommendations.get(id) ?? true) && resources !== undefined)
  }
  return {
    rules: rules.length,
    coveredRules: rules.filter(({ resources }) => resources !== undefined).length,
    recommendations: recommendations.size,
    coveredRecommendations: [...recommendations.values()].filter(Boolean).length,
  }
}

/** The share per profile, and of each kind over all profiles. */
export function tableOf(profiles) {
  const ofProfiles = profiles.map(({ name, rules }) => {
    const { rules: all, coveredRules, recommendations, coveredRecommendations } = ratio(rules)
    return [
      name,
      `rules ${coveredRules}/${all} ${percent(coveredRules, all)}`,
      `recommendations ${coveredRecommendations}/${recommendations} ${percent(coveredRecommendations, recommendations)}`,
    ]
  })
  const every = profiles.flatMap(({ rules }) => rules)
  const kinds = [...new Set(every.map(({ kind }) => String(kind)))].toSorted((one, other) => (one < other ? -1 : 1))
  const ofKinds = kinds.map((kind) => {
    const { rules: all, coveredRules } = ratio(every.filter((rule) => rule.kind === kind))
    return [kind, `rules ${coveredRules}/${all} ${percent(coveredRules, all)}`]
  })
  return `${aligned(ofProfiles)}\n\n${aligned(ofKinds)}\n`
}

function percent(part, whole) {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
}

function aligned(rows) {
  const widths = rows.reduce((all, row) => row.map((cell, at) => Math.max(all[at] ?? 0, cell.length)), [])
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
