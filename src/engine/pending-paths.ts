/** The paths that resources still to be fixed would provide, with every directory above them they would create. */
export interface PendingPaths {
  readonly has: (path: string) => boolean
  readonly add: (paths: readonly string[]) => void
}

export function createPendingPaths(): PendingPaths {
  const paths = new Set<string>()
  return {
    has: (path) => paths.has(path),
    add(provided) {
      for (const path of provided) paths.add(path)
    },
  }
}
