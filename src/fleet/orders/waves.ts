/** Number of hosts that get an order at a time: a count, a share of all, or the rest. */
export type Wave = { readonly hosts: number } | { readonly percent: number } | 'rest'

/** Parses `1,10%,rest`; undefined if invalid. The last wave is always the rest. */
export function parseWaves(text: string): readonly Wave[] | undefined {
  const waves: Wave[] = []
  for (const word of text.split(',')) {
    const [, number, percent] = /^(\d{1,6})(%?)$/.exec(word.trim()) ?? []
    if (waves.at(-1) === 'rest') return undefined
    if (word.trim() === 'rest') waves.push('rest')
    else if (number === undefined || Number(number) === 0) return undefined
    else if (percent === '') waves.push({ hosts: Number(number) })
    else if (Number(number) < 100) waves.push({ percent: Number(number) })
    else return undefined
  }
  return waves.at(-1) === 'rest' ? waves : [...waves, 'rest']
}

/** Hosts of each wave; a share is of all hosts, and at least one. Omits waves without hosts. */
export function wavesOf(hosts: readonly string[], waves: readonly Wave[]): readonly (readonly string[])[] {
  let begin = 0
  return waves.flatMap((wave) => {
    const left = hosts.length - begin
    const wanted =
      wave === 'rest' ? left : 'hosts' in wave ? wave.hosts : Math.ceil((hosts.length * wave.percent) / 100)
    const of = hosts.slice(begin, begin + wanted)
    begin += of.length
    return of.length === 0 ? [] : [of]
  })
}
