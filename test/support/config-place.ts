import { type Outcome, temporaryDirectory } from './driftgate.ts'
import { writeFiles } from './plugin.ts'

/** The name of the file that options are taken from. */
export const CONFIG = 'driftgate.config.yaml'

/** A policy of two files that are missing: one of severity low, one of severity high. */
export const POLICY = `policy:
  controls:
    - { id: minor, severity: low, resources: [file#/nowhere/low] }
    - { id: major, severity: high, resources: [file#/nowhere/high] }
ccm:
  resources:
    - file:
        - /nowhere/low: { ensure: directory, owner: root, group: root, mode: '0755' }
        - /nowhere/high: { ensure: directory, owner: root, group: root, mode: '0755' }
`

type Driftgate = (args: readonly string[], options: { readonly cwd: string }) => Promise<Outcome>

/** A directory with a policy and commands that run there. */
export interface Place {
  readonly directory: string
  readonly run: (...args: readonly string[]) => Promise<Outcome>
  readonly ids: (...args: readonly string[]) => Promise<readonly string[]>
}

/** A directory with the policy `policies/p.yaml` and these files; commands are run by this helper, in the process or in one of their own. */
export function makePlace(driftgate: Driftgate, files: Readonly<Record<string, string>>): Place {
  const directory = temporaryDirectory()
  writeFiles(directory, { 'policies/p.yaml': POLICY, ...files })
  const run: Place['run'] = (...args) => driftgate(args, { cwd: directory })
  return {
    directory,
    run,
    async ids(...args) {
      const { stdout } = await run(...args, '--report', 'json')
      const report: { policies: { resources: { name: string }[] }[] } = JSON.parse(stdout)
      return report.policies.flatMap(({ resources }) => resources.map(({ name }) => name))
    },
  }
}

export const beside = (text: string): Readonly<Record<string, string>> => ({ [`policies/${CONFIG}`]: text })
