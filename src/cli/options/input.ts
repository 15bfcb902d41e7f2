import { defined } from '../../model/defined.ts'
import type { LoadPolicyOptions } from '../../policy/load.ts'
import { isAddress } from '../../policy/fetch/remote.ts'
import type { Limits, OptionsOf, OptionSpecs } from '../command.ts'
import { durationComplaint, durationOf } from './duration.ts'

/** The options of every command that knows facts. */
export const FACT_OPTIONS = {
  facts: {
    kind: 'list',
    group: 'Data:',
    placeholder: 'FILE|URL',
    holds: 'path',
    summary: 'Lay these facts (YAML or JSON) over those of the machine',
  },
  fact: { kind: 'list', group: 'Data:', placeholder: 'KEY.PATH=TEXT', summary: 'Set one fact to a text' },
} as const satisfies OptionSpecs

/** The options of every command that evaluates policies: what their templates see. */
export const INPUT_OPTIONS = {
  data: {
    kind: 'list',
    alias: 'hiera',
    group: 'Data:',
    placeholder: 'FILE|URL',
    holds: 'path',
    summary: "Lay this data (YAML or JSON, plain or hierarchical) over every policy's own; later ones win",
  },
  set: {
    kind: 'list',
    group: 'Data:',
    placeholder: 'KEY.PATH=VALUE',
    summary: 'Set one value of the data, written in YAML',
  },
  ...FACT_OPTIONS,
  vars: {
    kind: 'list',
    group: 'Data:',
    placeholder: 'FILE|URL',
    holds: 'path',
    summary: 'Let the templates of Goss files see these variables (YAML or JSON); later ones win',
  },
  'vars-inline': {
    kind: 'value',
    group: 'Data:',
    placeholder: 'YAML',
    summary: 'The same as a text, which replaces what the files have at the top',
  },
  context: {
    kind: 'value',
    group: 'Data:',
    placeholder: 'NAME|FILE',
    summary:
      'Reach obj://, kv:// and what templates ask for with this context of NATS; NATS_CONTEXT or CCM where none is named',
  },
  registration: {
    kind: 'value',
    group: 'Data:',
    placeholder: 'STREAM',
    summary: 'Read the registry from this stream, and publish to it; REGISTRATION where none is named',
  },
  'env-file': {
    kind: 'optional-text',
    group: 'Data:',
    placeholder: 'FILE',
    implied: '.env',
    holds: 'path',
    summary: 'Let templates read these variables beside those of the process',
  },
} as const satisfies OptionSpecs

/** The options of commands that audit: what policies may do meanwhile. */
export const AUDIT_OPTIONS = {
  'no-commands': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Run no command a policy names; what needs one cannot be decided',
  },
  'clean-env': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Run the commands of Goss rules in / and without the environment of the scan',
  },
  'no-ask': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Do not ask programs such as sshd what they make of their configuration',
  },
  'url-values': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Let the URLs that a policy names hold values from environment variables and files',
  },
} as const satisfies OptionSpecs

/** The options of commands that evaluate policies: whether these are the operator's own or those of others. */
export const TRUST_OPTIONS = {
  untrusted: {
    kind: 'flag',
    group: 'Run:',
    contradicts: 'trusted',
    summary: 'Take policies as those of others: no commands, environment, config, network, foreign files or contents',
  },
  trusted: {
    kind: 'flag',
    group: 'Run:',
    contradicts: 'untrusted',
    summary: 'Trust a policy given by URL, which is untrusted otherwise, as if it were a file of your own',
  },
  'untrusted-timeout': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'DURATION',
    summary: 'End the work on policies of others that takes longer; 10m where none is named',
    complain: durationComplaint(1),
  },
  'untrusted-memory': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'MIB',
    summary: 'End the work on policies of others that needs more memory, in MiB; 1024 where none is named',
    complain: (text) => (/^[1-9]\d{1,6}$/.test(text) ? undefined : 'must be a whole number of MiB, at least 10'),
  },
} as const satisfies OptionSpecs

/** Their values. */
export type TrustFlags = OptionsOf<typeof TRUST_OPTIONS>

/** Whether the policies count as written by others: one with an address does, unless it is trusted. */
export function isUntrusted(
  sources: readonly string[],
  { untrusted = false, trusted = false }: Partial<TrustFlags>,
): boolean {
  return untrusted || (!trusted && sources.some(isAddress))
}

/** What a look at policies of others may take; there are no limits for those of the operator. */
export function limitsOf(sources: readonly string[], options: TrustFlags): Limits | undefined {
  if (!isUntrusted(sources, options)) return undefined
  const { 'untrusted-timeout': timeout, 'untrusted-memory': memory } = options
  return { timeoutMs: durationOf(timeout, '10m'), memoryMib: Number(memory ?? 1024) }
}

/** The option of commands whose output may hold secrets. */
export const SHOW_SECRETS = {
  'show-secrets': { kind: 'flag', group: 'Output:', summary: 'Show the values of data marked @sensitive' },
} as const satisfies OptionSpecs

/** The values of the options about data. */
export type InputFlags = OptionsOf<typeof INPUT_OPTIONS>

/** Those values in the words of the library. */
export function inputsOf(options: Partial<InputFlags>): LoadPolicyOptions {
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
  return defined({ data, set, facts, fact, vars, varsInline, envFile, context, registration })
}
