import type { PolicyResult, Run, RunTarget } from './run.ts'

/** The display name of a machine: the operator's name for it, otherwise its hostname. */
export function hostNameOf({ name, hostname }: RunTarget): string {
  return name ?? hostname
}

/**
 * The hostname of a machine if it differs from the display name; `ssh:web01` does not differ from `web01`, and
 * `localhost` is ignored.
 */
export function ownNameOf({ name, hostname }: Pick<RunTarget, 'name' | 'hostname'>): string | undefined {
  if (name === undefined || hostname === 'localhost') return undefined
  return [name, ...name.split(/[:@]/)].includes(hostname) ? undefined : hostname
}

/** The display name of the machine that a policy was evaluated on, also in a merged report. */
export function hostOfPolicy({ target }: Pick<Run, 'target'>, { origin }: PolicyResult): string {
  return hostNameOf(origin?.target ?? target)
}

/** All names of a machine; a statement about any of them applies to it. */
export function namesOfHost({ name, hostname }: Pick<RunTarget, 'name' | 'hostname'>): readonly string[] {
  return name === undefined ? [hostname] : [name, hostname]
}
