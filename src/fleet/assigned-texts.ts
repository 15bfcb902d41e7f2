/** Signed assignment of a host. */
export interface Assigned {
  /** Manifest digests, as in reports. */
  readonly texts: readonly string[]
  /** Time of storage on the server, in milliseconds since 1970. */
  readonly sinceMs: number
  /** Bundle files of policies that were assigned to the host or its ring before and are no longer. */
  readonly former: ReadonlySet<string>
  /** Reporting interval in milliseconds; absent if the assignment does not set it. */
  readonly intervalMs?: number
}

/** Assignment of a host; undefined without one or if unknown. */
export type AssignedTexts = (host: { readonly name: string; readonly ring?: string }) => Assigned | undefined
