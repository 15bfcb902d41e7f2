/** A machine as a run tells of it. */
export interface NamedMachine {
  readonly host: string
  /** Absent where the run does not say which one of this name it was. */
  readonly machine?: string
}

/** Names the machines of some runs: by the host, and where several have one name by their ids, too. */
export function machineNames(runs: readonly NamedMachine[]): (run: NamedMachine) => string {
  const machines = new Map<string, Set<string>>()
  for (const { host, machine } of runs) {
    if (machine !== undefined) machines.set(host, (machines.get(host) ?? new Set()).add(machine))
  }
  return ({ host, machine }) => {
    const isShared = (machines.get(host)?.size ?? 0) > 1
    return isShared && machine !== undefined ? `${host} (${machine})` : host
  }
}
