/** The kinds of archives that can be unpacked. */
export type ArchiveFormat = 'tar.gz' | 'tar' | 'zip'

const SUFFIXES: readonly (readonly [string, ArchiveFormat])[] = [
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
  ['.tar', 'tar'],
  ['.zip', 'zip'],
]

/** The kind of archive a file name or path promises, in any case; undefined where it promises none. */
export function archiveFormat(name: string): ArchiveFormat | undefined {
  const lower = name.toLowerCase()
  return SUFFIXES.find(([suffix]) => lower.endsWith(suffix))?.[1]
}
