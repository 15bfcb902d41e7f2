/** Words of mount(8) that take each other back, the one that switches something off or restricts it first. */
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

/** Words that say what there is anyway. Of these mountinfo only shows `rw`. */
const UNSAID: ReadonlySet<string> = new Set(['defaults', ...PAIRS.map(([, unsaid]) => unsaid)])

/** What these words restrict as well, at the place where they stand. @see mount(8) */
const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map([
  ['user', ['noexec', 'nosuid', 'nodev']],
  ['users', ['noexec', 'nosuid', 'nodev']],
  ['owner', ['nosuid', 'nodev']],
  ['group', ['nosuid', 'nodev']],
])

/** What a single mount has of its own; everything else belongs to its file system, wherever that is mounted. */
const PER_MOUNT: ReadonlySet<string> = new Set(['nosuid', 'nodev', 'noexec', 'nosymfollow', 'noatime', 'nodiratime'])

/** The word that says the opposite of one that only says what there is without it, such as `noexec` for `exec`. */
export function restrictionBehind(word: string): string | undefined {
  return word === 'defaults' ? word : UNSAID.has(word) ? INVERSES.get(word) : undefined
}

/** The words of an option text; a comma in quotes parts nothing, as in `context="a:s0:c1,c2"`. */
export function splitOptions(text: string): readonly string[] {
  return (text.match(/(?:"[^"]*"|[^,"])+/g) ?? []).filter((word) => word !== '')
}

/**
 * What the words of a mount that is stored come to: of those that take each other back the last one, what `user` and its like
 * imply, and nothing that only says what there is anyway.
 */
export function resolveOptions(text: string): readonly string[] {
  const found = new Set<string>()
  for (const word of splitOptions(text).flatMap((each) => [each, ...(IMPLIED.get(each) ?? [])])) {
    const inverse = INVERSES.get(word)
    if (inverse !== undefined) found.delete(inverse)
    // At its last place, where it takes back what stands before it.
    found.delete(word)
    if (!UNSAID.has(word)) found.add(word)
  }
  return [...found]
}

/** The words of options that mountinfo has, without what only says what there is anyway. */
export function tellingOptions(text: string): readonly string[] {
  return [...new Set(splitOptions(text).filter((word) => !UNSAID.has(word)))]
}

/** The option text with which `wanted` comes out; what is neither wanted nor unwanted stays as it was written. */
export function rewriteOptions(text: string, wanted: readonly string[]): string {
  const { added, removed } = changesOf(resolveOptions(text), wanted)
  const surplus = new Set([...removed, ...added, ...added.flatMap((word) => INVERSES.get(word) ?? [])])
  const kept = splitOptions(text).filter((word) => !surplus.has(word))
  const words = [...kept, ...added]
  const left = resolveOptions(words.join(','))
  // What another word implies has to be taken back by its opposite.
  const opposites = removed.filter((word) => left.includes(word)).flatMap((word) => INVERSES.get(word) ?? [])
  const all = [...words, ...opposites]
  return all.length === 0 ? 'defaults' : all.join(',')
}

/** The words of mount(8) that make what is mounted have these options. `stuck` are those that no word takes away. */
export function remountOptions(
  { own, options }: { readonly own: readonly string[]; readonly options: readonly string[] },
  wanted: readonly string[],
): { readonly scope: 'mount' | 'file-system'; readonly words: readonly string[]; readonly stuck: readonly string[] } {
  const { added, removed } = changesOf(options, wanted)
  const stuck = removed.filter((word) => !INVERSES.has(word))
  if ([...added, ...removed].every((word) => PER_MOUNT.has(word))) {
    // All of them have to be said: what is not is taken away.
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
