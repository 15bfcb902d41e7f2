import { withoutUrlSecrets } from '../../model/url-secrets.ts'
import type { Run } from '../../model/run.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { ChosenTarget } from '../options/target.ts'

/** Options with file names (shown), and options whose values may contain secrets. */
const NAMING = ['data', 'facts', 'vars', 'waivers', 'plugin', 'config'] as const
const SERVERS = ['context', 'registration'] as const
const FLAGS = ['no-config', 'clean-env', 'no-ask', 'ask-sandboxed', 'url-values'] as const
const TELLING = ['set', 'fact'] as const

/**
 * Adds the inputs of a scan to its run, so that a report can show a command that repeats it. `target` is the target of
 * the run, if there are several.
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
