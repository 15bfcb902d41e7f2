/** What the operator has signed for a host. */
export interface Assigned {
  /** The texts of policies, by the digests that reports have. */
  readonly texts: readonly string[]
  /** Since when the server has it, in milliseconds since 1970. */
  readonly sinceMs: number
  /** The files in which hosts keep the bundles of policies that it was assigned before, itself or its ring, and is no more. */
  readonly former: ReadonlySet<string>
  /** How often it is to report, in milliseconds; absent where the assignment does not say it. */
  readonly intervalMs?: number
}

/** What hosts are assigned; undefined for one that is assigned nothing, and where that is unknown. */
export type AssignedTexts = (host: { readonly name: string; readonly ring?: string }) => Assigned | undefined
