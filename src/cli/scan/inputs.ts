import { withoutUrlSecrets } from '../../model/url-secrets.ts'
import type { Run } from '../../model/run.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { ChosenTarget } from '../options/target.ts'

/** Options that name files, and those whose values people may have written secrets into. */
const NAMING = ['data', 'facts', 'vars', 'waivers', 'plugin', 'config'] as const
const SERVERS = ['context', 'registration'] as const
const FLAGS = ['no-config', 'clean-env', 'no-ask', 'url-values'] as const
const TELLING = ['set', 'fact'] as const

/**
 * The run with what its scan was given beside the policies, so that a report can name a command that does it again. `target` is
 * the one of several that it is of.
 */
export function withInputs(run: Run, options: ScanFlags, target?: Pick<ChosenTarget, 'spec' | 'name'>): Run {
  const inputs = [...targetToRepeat(options, target), ...inputsToRepeat(options)]
  if (inputs.length === 0) return run
  return { ...run, policies: run.policies.map((policy) => ({ ...policy, inputs })) }
}

function targetToRepeat(
  { target: texts, targets: file }: ScanFlags,
  target: Pick<ChosenTarget, 'spec' | 'name'> | undefined,
): readonly string[] {
  if (target !== undefined && file !== undefined) return [`--targets=${file}`, `--on=${target.name}`]
  return (target === undefined ? texts : [target.spec.text]).map((text) => `--target=${text}`)
}

function inputsToRepeat(options: ScanFlags): readonly string[] {
  const { 'env-file': envFile, 'vars-inline': varsInline } = options
  return [
    ...NAMING.flatMap((name) =>
      options[name].map((value) => `--${name}=${withoutUrlSecrets(value) === value ? value : ''}`),
    ),
    ...SERVERS.flatMap((name) => (options[name] === undefined ? [] : [`--${name}=${options[name]}`])),
    ...(envFile === undefined ? [] : [`--env-file=${envFile}`]),
    ...TELLING.flatMap((name) => (options[name].length === 0 ? [] : [`--${name}=`])),
    ...(varsInline === undefined ? [] : ['--vars-inline=']),
    ...FLAGS.flatMap((name) => (options[name] ? [`--${name}`] : [])),
  ]
}
