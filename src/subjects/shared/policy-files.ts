import type { PolicyFiles, Target } from '../../host/target.ts'

/** Access to the files of the policy, never on a remote target: that could answer anything. */
export function policyFilesOf(target: Target): PolicyFiles {
  return target.policyFiles ?? target.files
}
