import { CONFIG_NAME } from '../../policy/fetch/config-name.ts'
import type { OptionSpec, OptionSpecs } from '../command.ts'
import { EXTENSION_OPTIONS } from '../options/extension.ts'
import { SCAN_OPTIONS } from '../options/scan.ts'

/** Config key for `--plugin`, which is always a list. */
export const PLUGINS_KEY = 'plugins'

/** Only the operator may choose the target, never a file next to policies. */
const NAMING: ReadonlySet<string> = new Set(['target', 'targets', 'on'])

/** Config keys: the scan options, except those that choose the config or the target, and `plugins`. */
export const configOptions: OptionSpecs = {
  ...Object.fromEntries(
    Object.entries(SCAN_OPTIONS).filter(([name]) => !(name in EXTENSION_OPTIONS) && !NAMING.has(name)),
  ),
  [PLUGINS_KEY]: EXTENSION_OPTIONS.plugin,
}

type JsonSchema = Readonly<Record<string, unknown>>

// Values that keep their source text, as on a command line.
const TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] }

/** JSON Schema (draft 7) of config files for editors, derived from the scan options. */
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
