import type { TargetKind } from '../model/run.ts'
import type { ResourceContext } from '../resource-type/define.ts'

/** What the user of a run allows and forbids. */
export interface Permissions {
  /** Whether commands that policies name may run; they may where absent. What needs one is an error otherwise. */
  readonly runCommands?: boolean
  /** Whether a fix may remove packages that no resource names; it may not where absent. */
  readonly allowRemovals?: boolean
  /** Whether a fix writes a file that is a mount point where it lies, for it cannot be replaced; it may not where absent. */
  readonly writeMountPoints?: boolean
  /** Whether a fix writes a file that has several names through all of them; it may not where absent. */
  readonly keepLinks?: boolean
  /** Whether addresses that policies name may be made of environment variables and files; they may not where absent. */
  readonly urlValues?: boolean
  /** Whether commands of Goss rules run in `/` and without the environment of this process. */
  readonly cleanEnvironment?: boolean
  /** Whether programs are asked what they make of their own configuration; they are where absent. */
  readonly askPrograms?: boolean
  /** Whether others wrote the policies: no command of theirs runs, and no content is shown. Never for a fix. */
  readonly untrusted?: boolean
}

/** What resources are told of it. */
export type Permitted = Required<
  Pick<
    ResourceContext,
    | 'commandsForbidden'
    | 'allowRemovals'
    | 'writeMountPoints'
    | 'keepLinks'
    | 'cleanEnvironment'
    | 'asksNobody'
    | 'contentsHidden'
  >
>

/** What resources of a target are told; `urlValuesAllowed` is whether addresses may hold values from files and the environment. */
export function permissionsOf(
  {
    runCommands = true,
    untrusted = false,
    allowRemovals = false,
    writeMountPoints = false,
    keepLinks = false,
    cleanEnvironment = false,
    askPrograms = true,
    urlValues = false,
  }: Permissions,
  kind: TargetKind,
): { readonly permitted: Permitted; readonly urlValuesAllowed: boolean } {
  return {
    permitted: {
      // Programs of what does not run here would be others than those of its own system, or would change it.
      commandsForbidden: !runCommands || untrusted || kind !== 'local',
      allowRemovals,
      writeMountPoints,
      keepLinks,
      cleanEnvironment,
      asksNobody: !askPrograms,
      contentsHidden: untrusted,
    },
    urlValuesAllowed: urlValues,
  }
}
