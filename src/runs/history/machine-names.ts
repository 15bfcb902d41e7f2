/** Machine of a run. */
export interface NamedMachine {
  readonly host: string
  /** Absent if the run has no machine id. */
  readonly machine?: string
}

/** Display names of machines: the host name, with the machine id if several machines share it. */
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
