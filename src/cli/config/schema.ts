import { CONFIG_NAME } from '../../policy/fetch/config-name.ts'
import type { OptionSpec, OptionSpecs } from '../command.ts'
import { EXTENSION_OPTIONS } from '../options/extension.ts'
import { SCAN_OPTIONS } from '../options/scan.ts'

/** The key of a config for `--plugin`: it is a list anyway. */
export const PLUGINS_KEY = 'plugins'

/** Which machine is looked at is the operator's to say, never that of what lies beside policies. */
const NAMING: ReadonlySet<string> = new Set(['target', 'targets', 'on'])

/** What a config can say: the options of a scan by their names, but for those that choose the config or the target, and `plugins`. */
export const configOptions: OptionSpecs = {
  ...Object.fromEntries(
    Object.entries(SCAN_OPTIONS).filter(([name]) => !(name in EXTENSION_OPTIONS) && !NAMING.has(name)),
  ),
  [PLUGINS_KEY]: EXTENSION_OPTIONS.plugin,
}

type JsonSchema = Readonly<Record<string, unknown>>

// What a value keeps its source text of, as on a command line.
const TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] }

/** The JSON Schema of config files, draft 7: what editors complete, made of the options of a scan. */
export function configSchema(): JsonSchema {
  const properties = Object.entries(configOptions).map(([name, spec]) => [name, optionSchema(spec)])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'driftgate config',
    description: `Options of driftgate, in a ${CONFIG_NAME} beside the policies or in a file given with --config.`,
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}

function optionSchema(spec: OptionSpec): JsonSchema {
  const { summary: description } = spec
  switch (spec.kind) {
    case 'flag':
      return { type: 'boolean', description }
    case 'text':
      return { enum: spec.choices, default: spec.default, description }
    case 'value':
      return { ...TEXT, description }
    case 'optional-text':
      return {
        ...TEXT,
        description: description + (spec.implied && `; true stands for ${JSON.stringify(spec.implied)}`),
      }
    case 'list':
      return { anyOf: [TEXT, { type: 'array', items: TEXT }], description }
  }
}
