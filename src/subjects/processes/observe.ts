import { absent, type Observation, present, type Unknown } from '../../model/observation.ts'
import type { Process } from './processes.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { identityOf } from './identity.ts'
import type { ProcessState, ProcessDesired, ObservedProcess } from './decide.ts'
import { PROCESSES } from './subject.ts'

type Machine = Pick<Target, 'open' | 'names'> & HasFiles<'realPath'>

/** Finds all processes of a program. Absence is only proved if all processes and executables are visible. */
export function observeProcess(machine: Machine, { name }: Pick<ProcessDesired, 'name'>): Observation<ProcessState> {
  const list = machine.open(PROCESSES).list()
  if (list.kind === 'unknown') return list
  const names = namesOf(machine, name)
  let { unseen }: { unseen?: Unknown } = list.value
  const processes: ObservedProcess[] = []
  for (const process of list.value.processes) {
    const identity = identityOf(process)
    const isMeant =
      identity.kind === 'known' ? identity.value.some((each) => names.includes(each)) : isCalled(process, name)
    if (isMeant)
      processes.push({ ...process, user: machine.names.userName(process.effectiveUid) ?? String(process.effectiveUid) })
    else if (identity.kind === 'unknown') unseen ??= identity
  }
  if (processes.length === 0) return unseen ?? absent()
  return present(unseen === undefined ? { processes } : { processes, unseen })
}

/** The path and its real path: the kernel reports executables by real path. */
function namesOf({ files: { realPath } }: Machine, name: string): readonly string[] {
  if (!name.startsWith('/')) return [name]
  const real = realPath(name)
  return real.kind === 'known' && real.value !== null ? [name, real.value] : [name]
}

/** Without a readable executable, the kernel's name can only prove a match. */
function isCalled({ command }: Process, name: string): boolean {
  return command === name
}
