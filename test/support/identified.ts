import { known } from '../../src/model/observation.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import type { Target } from '../../src/host/target.ts'

/**
 * This machine with an identity, even where it has no machine-id: the digests of a secret are the same in all scans of it. Its
 * first process may be asked for its environment, which is root's alone, so that each fact is known to any user.
 */
export function identifiedMachine(): Target {
  const machine = createLocalTarget()
  return {
    ...machine,
    system: { ...machine.system, identity: 'a machine of tests' },
    probe: {
      ...machine.probe,
      readText: (path) => (path === '/proc/1/environ' ? known('') : machine.probe.readText(path)),
    },
  }
}

/** Why a test of a process is skipped that makes a plan: it is bound to its machine. */
export const needsMachineId: string | undefined =
  createLocalTarget().system.identity === undefined ? 'needs /etc/machine-id' : undefined
