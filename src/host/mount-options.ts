/** Opposite words of mount(8), the restricting one first. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['ro', 'rw'],
  ['nosuid', 'suid'],
  ['nodev', 'dev'],
  ['noexec', 'exec'],
  ['nosymfollow', 'symfollow'],
  ['sync', 'async'],
  ['noatime', 'atime'],
  ['nodiratime', 'diratime'],
  ['relatime', 'norelatime'],
  ['strictatime', 'nostrictatime'],
  ['lazytime', 'nolazytime'],
  ['mand', 'nomand'],
  ['noauto', 'auto'],
  ['nofail', 'fail'],
]

const INVERSES: ReadonlyMap<string, string> = new Map(
  PAIRS.flatMap(([left, right]) => [
    [left, right],
    [right, left],
  ]),
)

/** Words for defaults. mountinfo shows only `rw` of them. */
const UNSAID: ReadonlySet<string> = new Set(['defaults', ...PAIRS.map(([, unsaid]) => unsaid)])

/** Restrictions that these words imply, at their position. @see mount(8) */
const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map([
  ['user', ['noexec', 'nosuid', 'nodev']],
  ['users', ['noexec', 'nosuid', 'nodev']],
  ['owner', ['nosuid', 'nodev']],
  ['group', ['nosuid', 'nodev']],
])

/** Options of a single mount; all others belong to the file system and apply to all its mounts. */
const PER_MOUNT: ReadonlySet<string> = new Set(['nosuid', 'nodev', 'noexec', 'nosymfollow', 'noatime', 'nodiratime'])

/** The restriction that a default word negates, such as `noexec` for `exec`. */
export function restrictionBehind(word: string): string | undefined {
  return word === 'defaults' ? word : UNSAID.has(word) ? INVERSES.get(word) : undefined
}

/** Splits an option text; commas in quotes do not separate, as in `context="a:s0:c1,c2"`. */
export function splitOptions(text: string): readonly string[] {
  return (text.match(/(?:"[^"]*"|[^,"])+/g) ?? []).filter((word) => word !== '')
}

/** The effective words of a stored mount: the last of opposites, words implied by `user` and the like, and no defaults. */
export function resolveOptions(text: string): readonly string[] {
  const found = new Set<string>()
  for (const word of splitOptions(text).flatMap((each) => [each, ...(IMPLIED.get(each) ?? [])])) {
    const inverse = INVERSES.get(word)
    if (inverse !== undefined) found.delete(inverse)
    // Moved to its last position, where it overrides earlier words.
    found.delete(word)
    if (!UNSAID.has(word)) found.add(word)
  }
  return [...found]
}

/** The words of options in mountinfo, without defaults. */
export function tellingOptions(text: string): readonly string[] {
  return [...new Set(splitOptions(text).filter((word) => !UNSAID.has(word)))]
}

/** An option text that results in `wanted`; words that need no change stay as written. */
export function rewriteOptions(text: string, wanted: readonly string[]): string {
  const { added, removed } = changesOf(resolveOptions(text), wanted)
  const surplus = new Set([...removed, ...added, ...added.flatMap((word) => INVERSES.get(word) ?? [])])
  const kept = splitOptions(text).filter((word) => !surplus.has(word))
  const words = [...kept, ...added]
  const left = resolveOptions(words.join(','))
  // A word implied by another one is removed by its opposite.
  const opposites = removed.filter((word) => left.includes(word)).flatMap((word) => INVERSES.get(word) ?? [])
  const all = [...words, ...opposites]
  return all.length === 0 ? 'defaults' : all.join(',')
}

/** The words of mount(8) that give a mounted file system these options. `stuck` are options that no word removes. */
export function remountOptions(
  { own, options }: { readonly own: readonly string[]; readonly options: readonly string[] },
  wanted: readonly string[],
): { readonly scope: 'mount' | 'file-system'; readonly words: readonly string[]; readonly stuck: readonly string[] } {
  const { added, removed } = changesOf(options, wanted)
  const stuck = removed.filter((word) => !INVERSES.has(word))
  if ([...added, ...removed].every((word) => PER_MOUNT.has(word))) {
    // All words are required: a missing one is cleared.
    return { scope: 'mount', words: [...own.filter((word) => !removed.includes(word)), ...added], stuck }
  }
  return { scope: 'file-system', words: [...added, ...removed.flatMap((word) => INVERSES.get(word) ?? [])], stuck }
}

function changesOf(
  from: readonly string[],
  to: readonly string[],
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  return { added: to.filter((word) => !from.includes(word)), removed: from.filter((word) => !to.includes(word)) }
}
