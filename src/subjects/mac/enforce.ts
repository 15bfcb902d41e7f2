import type { DeclaredProfile } from './apparmor-profiles/profile-file.ts'
import type { StoredProfile, StoredProfiles } from './apparmor-profiles/stored.ts'

/** A file whose profiles do not complain any more. */
export interface EnforcedFile {
  readonly path: string
  readonly text: string
}

/** The files of these profiles without the flag `complain` of each, and those that cannot be edited. */
export function enforcedFiles(
  { texts }: Pick<StoredProfiles, 'texts'>,
  profiles: readonly StoredProfile[],
): { readonly edited: readonly EnforcedFile[]; readonly refused: readonly string[] } {
  const edited: EnforcedFile[] = []
  const refused: string[] = []
  for (const path of new Set(profiles.map(({ file }) => file))) {
    const own = profiles.filter(({ file, flags }) => file === path && flags?.list.includes('complain') === true)
    const before = texts.get(path) ?? ''
    if (own.length === 0) continue
    // Its other characters would be lost.
    if (/[\uFFFD\p{Cs}]/u.test(before)) refused.push(path)
    else edited.push({ path, text: withoutComplain(before, own) })
  }
  return { edited, refused }
}

/** From the end, so that places before stay where they are. A profile that is included twice stands there once. */
function withoutComplain(text: string, profiles: readonly DeclaredProfile[]): string {
  const places = new Map(profiles.flatMap(({ flags }) => (flags === undefined ? [] : [[flags.start, flags] as const])))
  return [...places.values()]
    .toSorted((left, right) => right.start - left.start)
    .reduce((edited, { start, end, list }) => {
      const others = list.filter((flag) => flag !== 'complain')
      const flags = others.length === 0 ? '' : ` flags=(${others.join(',')})`
      const rest = edited.slice(end)
      // Without flags a brace would be taken for a part of the word before it.
      return `${edited.slice(0, start)}${flags}${flags === '' && rest.startsWith('{') ? ' ' : ''}${rest}`
    }, text)
}
