import { OperatorError } from '../../core/operator-error.ts'
import { createLocalTarget } from '../../target/local/local-target.ts'
import type { Target } from '../../target/target.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'

const ROOT = 'root:'

/** The option of commands that can look at something else than this machine. */
export const TARGET_OPTIONS = {
  target: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'root:DIR',
    complain: (text) =>
      text.startsWith(ROOT) && text.length > ROOT.length ? undefined : 'must be root: and a directory, root:/mnt/disk',
    summary:
      'Look at the system that does not run and whose root is this directory, not at this machine; only audits do',
  },
} as const satisfies OptionSpecs

/** What is to be looked at. Throws an `OperatorError` for a target that cannot be opened. */
export async function targetOf({ target }: OptionsOf<typeof TARGET_OPTIONS>): Promise<Target> {
  if (target === undefined) return createLocalTarget()
  // A scan of this machine has no use for it.
  const { openRootedTarget } = await import('../../target/local/rooted/open-root.ts')
  const opened = openRootedTarget(target.slice(ROOT.length))
  if (opened.kind === 'refused') throw new OperatorError(`--target: ${opened.message}`)
  return opened.target
}
