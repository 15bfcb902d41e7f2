/** Paths that pending fixes would provide, with the parent directories they would create. */
export interface PendingPaths {
  /** Id of the first resource that would provide the path. */
  readonly providerOf: (path: string) => string | undefined
  readonly add: (paths: readonly string[], id: string) => void
}

export function createPendingPaths(): PendingPaths {
  const paths = new Map<string, string>()
  return {
    providerOf: (path) => paths.get(path),
    add(provided, id) {
      for (const path of provided) if (!paths.has(path)) paths.set(path, id)
    },
  }
}
