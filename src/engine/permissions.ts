import type { TargetKind } from '../model/run.ts'
import type { ResourceContext } from '../resource-type/define.ts'

/** Permissions of a run. */
export interface Permissions {
  /** Allow commands of policies (default). Without it, resources that need a command are unknown. */
  readonly runCommands?: boolean
  /** Allow a fix to remove packages that no resource names; default: false. */
  readonly allowRemovals?: boolean
  /** Allow a fix to write mount points in place, since they cannot be replaced; default: false. */
  readonly writeMountPoints?: boolean
  /** Allow a fix to write a file with several hard links in place; default: false. */
  readonly keepLinks?: boolean
  /** Allow addresses in policies to contain environment variables and file contents; default: false. */
  readonly urlValues?: boolean
  /** Run commands of Goss rules in `/` with an empty environment. */
  readonly cleanEnvironment?: boolean
  /** Query programs for their effective configuration (default). */
  readonly askPrograms?: boolean
  /** Query programs that leave traces, too, in a sandbox; default: false. */
  readonly askSandboxed?: boolean
  /** Treat the policies as untrusted: their commands do not run and contents are not shown. Never in a fix. */
  readonly untrusted?: boolean
}

export type Permitted = Required<
  Pick<
    ResourceContext,
    | 'commandsForbidden'
    | 'allowRemovals'
    | 'writeMountPoints'
    | 'keepLinks'
    | 'cleanEnvironment'
    | 'asksNobody'
    | 'asksSandboxed'
    | 'contentsHidden'
  >
>

/**
 * Permissions for a target; `urlValuesAllowed` tells whether addresses may contain values from files and the
 * environment.
 */
export function permissionsOf(
  {
    runCommands = true,
    untrusted = false,
    allowRemovals = false,
    writeMountPoints = false,
    keepLinks = false,
    cleanEnvironment = false,
    askPrograms = true,
    askSandboxed = false,
    urlValues = false,
  }: Permissions,
  kind: TargetKind,
): { readonly permitted: Permitted; readonly urlValuesAllowed: boolean } {
  return {
    permitted: {
      // For other targets, local programs would be the wrong ones, or would change the target.
      commandsForbidden: !runCommands || untrusted || kind !== 'local',
      allowRemovals,
      writeMountPoints,
      keepLinks,
      cleanEnvironment,
      asksNobody: !askPrograms,
      asksSandboxed: askSandboxed,
      contentsHidden: untrusted,
    },
    urlValuesAllowed: urlValues,
  }
}
