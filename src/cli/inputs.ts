import type { LoadPolicyOptions } from '../policy/local.ts'
import type { OptionsOf, OptionSpecs } from './command.ts'

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
  'env-file': {
    kind: 'optional-text',
    group: 'Data:',
    placeholder: 'FILE',
    implied: '.env',
    holds: 'path',
    summary: 'Let templates read these variables beside those of the process',
  },
} as const satisfies OptionSpecs

/** The option of commands that audit. */
export const NO_COMMANDS = {
  'no-commands': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Run no command a policy names; what needs one cannot be decided',
  },
} as const satisfies OptionSpecs

/** The options of commands that scan: whether the policies are the operator's own or those of others. */
export const TRUST_OPTIONS = {
  untrusted: {
    kind: 'flag',
    group: 'Run:',
    contradicts: 'trusted',
    summary: 'Audit policies of others: no commands, environment, config, network, foreign files or contents',
  },
  trusted: {
    kind: 'flag',
    group: 'Run:',
    contradicts: 'untrusted',
    summary: 'Trust a policy given by URL, which is untrusted otherwise, as if it were a file of your own',
  },
} as const satisfies OptionSpecs

/** The option of commands whose output may hold secrets. */
export const SHOW_SECRETS = {
  'show-secrets': { kind: 'flag', group: 'Output:', summary: 'Show the values of data marked @sensitive' },
} as const satisfies OptionSpecs

/** The values of those options in the words of the library. */
export function inputsOf(options: OptionsOf<typeof INPUT_OPTIONS>): LoadPolicyOptions {
  const { data, set, facts, fact, 'env-file': envFile } = options
  return { data, set, facts, fact, ...(envFile === undefined ? {} : { envFile }) }
}
