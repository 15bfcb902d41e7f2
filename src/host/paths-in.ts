import { baseName } from '../model/file-name.ts'
import { known, mapReading, type Reading } from '../model/observation.ts'

/** Names in a directory, in order; `null` if it does not exist. */
export interface Directories {
  names(directory: string): Reading<readonly string[] | null>
}

/** The paths of the entries with these names, directory by directory; a missing directory is empty. */
export function pathsIn(
  files: Directories,
  directories: readonly string[],
  isTaken: (name: string) => boolean = () => true,
): Reading<readonly string[]> {
  const found: string[] = []
  for (const directory of directories) {
    const names = files.names(directory)
    if (names.kind === 'unknown') return names
    found.push(...(names.value ?? []).filter(isTaken).map((name) => `${directory}/${name}`))
  }
  return known(found)
}

/** The drop-ins of directories by precedence, sorted by name: the first of each name shadows those of later directories. */
export function dropInsIn(
  files: Directories,
  directories: readonly string[],
  isTaken?: (name: string) => boolean,
): Reading<readonly string[]> {
  return mapReading(pathsIn(files, directories, isTaken), (paths) => {
    const first = new Map(paths.toReversed().map((path) => [baseName(path), path]))
    return [...first]
      .toSorted(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
      .map(([, path]) => path)
  })
}
