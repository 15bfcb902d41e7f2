import { defined } from '../../model/defined.ts'
import type { LoadPolicyOptions } from '../../policy/load.ts'
import { isAddress } from '../../policy/fetch/remote.ts'
import type { Limits, OptionsOf, OptionSpecs } from '../command.ts'
import { durationComplaint, durationOf } from './duration.ts'

/** Options of commands that use facts. */
export const FACT_OPTIONS = {
  facts: {
    kind: 'list',
    group: 'Data:',
    placeholder: 'FILE|URL',
    holds: 'path',
    summary: 'Override host facts with a YAML or JSON file',
  },
  fact: { kind: 'list', group: 'Data:', placeholder: 'KEY.PATH=TEXT', summary: 'Set one fact to a string' },
} as const satisfies OptionSpecs

/** Template inputs of commands that evaluate policies. */
export const INPUT_OPTIONS = {
  data: {
    kind: 'list',
    alias: 'hiera',
    group: 'Data:',
    placeholder: 'FILE|URL',
    holds: 'path',
    summary: 'Override policy data with a YAML or JSON file (last one wins)',
  },
  set: {
    kind: 'list',
    group: 'Data:',
    placeholder: 'KEY.PATH=VALUE',
    summary: 'Set one data value, written in YAML',
  },
  ...FACT_OPTIONS,
  vars: {
    kind: 'list',
    group: 'Data:',
    placeholder: 'FILE|URL',
    holds: 'path',
    summary: 'Set variables for Goss templates from a file (last one wins)',
  },
  'vars-inline': {
    kind: 'value',
    group: 'Data:',
    placeholder: 'YAML',
    summary: 'Set variables for Goss templates inline (overrides --vars)',
  },
  context: {
    kind: 'value',
    group: 'Data:',
    placeholder: 'NAME|FILE',
    summary: 'NATS context for obj://, kv:// and templates (default: CCM)',
  },
  registration: {
    kind: 'value',
    group: 'Data:',
    placeholder: 'STREAM',
    summary: 'Registry stream to read and publish to (default: REGISTRATION)',
  },
  'env-file': {
    kind: 'optional-text',
    group: 'Data:',
    placeholder: 'FILE',
    implied: '.env',
    holds: 'path',
    summary: 'Add the variables in this file to the template environment',
  },
} as const satisfies OptionSpecs

/** Permissions of policies in an audit. */
export const AUDIT_OPTIONS = {
  'no-commands': {
    kind: 'flag',
    group: 'Evaluation:',
    summary: 'Run no policy commands (dependent results are unknown)',
  },
  'clean-env': {
    kind: 'flag',
    group: 'Evaluation:',
    summary: 'Run commands of Goss rules in / with an empty environment',
  },
  'no-ask': {
    kind: 'flag',
    group: 'Evaluation:',
    summary: 'Do not ask programs such as sshd for their effective configuration',
  },
  'ask-sandboxed': {
    kind: 'flag',
    group: 'Evaluation:',
    contradicts: 'no-ask',
    summary: 'Ask nginx for its configuration, too, in a sandbox (needs root)',
  },
  'url-values': {
    kind: 'flag',
    group: 'Evaluation:',
    summary: 'Allow environment and file values in policy URLs',
  },
} as const satisfies OptionSpecs

/** Trust options of commands that evaluate policies. */
export const TRUST_OPTIONS = {
  untrusted: {
    kind: 'flag',
    group: 'Evaluation:',
    contradicts: 'trusted',
    summary: 'Treat policies as untrusted: no commands, environment or network',
  },
  trusted: {
    kind: 'flag',
    group: 'Evaluation:',
    contradicts: 'untrusted',
    summary: 'Treat policies from a URL as trusted',
  },
  'untrusted-timeout': {
    kind: 'value',
    group: 'Evaluation:',
    placeholder: 'DURATION',
    summary: 'Time limit for untrusted policies (default: 10m)',
    complain: durationComplaint(1),
  },
  'untrusted-memory': {
    kind: 'value',
    group: 'Evaluation:',
    placeholder: 'MIB',
    summary: 'Memory limit for untrusted policies in MiB (default: 1024)',
    complain: (text) => (/^[1-9]\d{1,6}$/.test(text) ? undefined : 'must be a whole number of MiB, at least 10'),
  },
} as const satisfies OptionSpecs

export type TrustFlags = OptionsOf<typeof TRUST_OPTIONS>

/** True if the policies are untrusted: remote ones are, unless they are declared trusted. */
export function isUntrusted(
  sources: readonly string[],
  { untrusted = false, trusted = false }: Partial<TrustFlags>,
): boolean {
  return untrusted || (!trusted && sources.some(isAddress))
}

/** Resource limits for untrusted policies; undefined for trusted ones. */
export function limitsOf(sources: readonly string[], options: TrustFlags): Limits | undefined {
  if (!isUntrusted(sources, options)) return undefined
  const { 'untrusted-timeout': timeout, 'untrusted-memory': memory } = options
  return { timeoutMs: durationOf(timeout, '10m'), memoryMib: Number(memory ?? 1024) }
}

/** Option of commands whose output may contain secrets. */
export const SHOW_SECRETS = {
  'show-secrets': { kind: 'flag', group: 'Output:', summary: 'Print data values marked @sensitive' },
} as const satisfies OptionSpecs

export type InputFlags = OptionsOf<typeof INPUT_OPTIONS>

/** Converts the options for the library, with the facts of the plugins that are loaded. */
export function inputsOf(options: Partial<InputFlags>, moreFacts?: LoadPolicyOptions['moreFacts']): LoadPolicyOptions {
  const {
    data,
    set,
    facts,
    fact,
    vars,
    'vars-inline': varsInline,
    'env-file': envFile,
    context,
    registration,
  } = options
  return defined({ data, set, facts, fact, moreFacts, vars, varsInline, envFile, context, registration })
}
