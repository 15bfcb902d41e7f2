export type ArchiveFormat = 'tar.gz' | 'tar' | 'zip'

const SUFFIXES: readonly (readonly [string, ArchiveFormat])[] = [
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
  ['.tar', 'tar'],
  ['.zip', 'zip'],
]

/** The format of an archive by its file name, ignoring case; undefined if unknown. */
export function archiveFormat(name: string): ArchiveFormat | undefined {
  const lower = name.toLowerCase()
  return SUFFIXES.find(([suffix]) => lower.endsWith(suffix))?.[1]
}
