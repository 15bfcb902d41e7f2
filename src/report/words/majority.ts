/** The voters who differ from the absolute majority; undefined without a majority. */
export function findDissenters<Who>(votes: readonly (readonly [who: Who, what: string])[]): readonly Who[] | undefined {
  const counts = new Map<string, number>()
  for (const [, what] of votes) counts.set(what, (counts.get(what) ?? 0) + 1)
  const winner = [...counts].find(([, count]) => count * 2 > votes.length)
  return winner && votes.filter(([, what]) => what !== winner[0]).map(([who]) => who)
}
