import { createLocalTarget } from '../../src/host/live/local-target.ts'
import type { Target } from '../../src/host/target.ts'

/** This machine with an identity, even where it has no machine-id: the digests of a secret are the same in all scans of it. */
export function identifiedMachine(): Target {
  const machine = createLocalTarget()
  return { ...machine, system: { ...machine.system, identity: 'a machine of tests' } }
}

/** Why a test of a process is skipped that makes a plan: it is bound to its machine. */
export const needsMachineId: string | undefined =
  createLocalTarget().system.identity === undefined ? 'needs /etc/machine-id' : undefined
