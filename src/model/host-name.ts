import type { PolicyResult, Run, RunTarget } from './run.ts'

/** The displayed name of a machine: the one that the operator uses, or else its own. */
export function hostNameOf({ name, hostname }: RunTarget): string {
  return name ?? hostname
}

/** What a machine calls itself where people call it something else; `ssh:web01` is no other name than `web01`, and `localhost` is no name. */
export function ownNameOf({ name, hostname }: Pick<RunTarget, 'name' | 'hostname'>): string | undefined {
  if (name === undefined || hostname === 'localhost') return undefined
  return [name, ...name.split(/[:@]/)].includes(hostname) ? undefined : hostname
}

/** What people call the machine that a policy was evaluated on, also in a report merged of several. */
export function hostOfPolicy({ target }: Pick<Run, 'target'>, { origin }: PolicyResult): string {
  return hostNameOf(origin?.target ?? target)
}

/** All names of a machine: what is said of one of them concerns it. */
export function namesOfHost({ name, hostname }: Pick<RunTarget, 'name' | 'hostname'>): readonly string[] {
  return name === undefined ? [hostname] : [name, hostname]
}
