import { CONFIG_NAME } from '../../fetch/config-name.ts'
import type { OptionSpec } from '../command.ts'
import { configOptions } from './config-options.ts'

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
