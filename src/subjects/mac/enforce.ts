import type { DeclaredProfile } from './apparmor-profiles/profile-file.ts'
import type { StoredProfile, StoredProfiles } from './apparmor-profiles/stored.ts'

/** File with its profiles no longer in complain mode. */
export interface EnforcedFile {
  readonly path: string
  readonly text: string
}

/** Removes the `complain` flag of these profiles; also returns the files that cannot be edited. */
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
    // Its undecodable characters would be lost.
    if (/[\uFFFD\p{Cs}]/u.test(before)) refused.push(path)
    else edited.push({ path, text: withoutComplain(before, own) })
  }
  return { edited, refused }
}

/** Edits from the end, so that earlier positions stay valid. A profile that is included twice is edited once. */
function withoutComplain(text: string, profiles: readonly DeclaredProfile[]): string {
  const places = new Map(profiles.flatMap(({ flags }) => (flags === undefined ? [] : [[flags.start, flags] as const])))
  return [...places.values()]
    .toSorted((left, right) => right.start - left.start)
    .reduce((edited, { start, end, list }) => {
      const others = list.filter((flag) => flag !== 'complain')
      const flags = others.length === 0 ? '' : ` flags=(${others.join(',')})`
      const rest = edited.slice(end)
      // Without flags the brace would become part of the preceding word.
      return `${edited.slice(0, start)}${flags}${flags === '' && rest.startsWith('{') ? ' ' : ''}${rest}`
    }, text)
}
