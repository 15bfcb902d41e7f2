/** The paths that resources still to be fixed would provide, with every directory above them they would create. */
export interface PendingPaths {
  /** The id of the first resource that would provide the path, if any would. */
  readonly providerOf: (path: string) => string | undefined
  readonly add: (paths: readonly string[], id: string) => void
}

/** Starts with none. */
export function createPendingPaths(): PendingPaths {
  const paths = new Map<string, string>()
  return {
    providerOf: (path) => paths.get(path),
    add(provided, id) {
      for (const path of provided) if (!paths.has(path)) paths.set(path, id)
    },
  }
}
