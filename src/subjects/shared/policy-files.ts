import type { PolicyFiles, Target } from '../../host/target.ts'

/** How files are read that lie beside the policy: never from a target that is another machine, which could answer anything. */
export function policyFilesOf(target: Target): PolicyFiles {
  return target.policyFiles ?? target
}
