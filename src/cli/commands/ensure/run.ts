import { parse } from 'yaml'
import { COMMAND_LINE } from '../../../report/words/fix-command.ts'
import { loadExtensions } from '../../options/extension.ts'
import type { Io } from '../../output/io.ts'
import { performOn } from '../../scan/perform-on.ts'
import { scanRequestOf } from '../../scan/request.ts'
import type { EnsureInvocation } from './index.ts'
import { didYouMean } from '../../../model/suggest.ts'
import { propertyNames } from '../../../resource-type/decode.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import type { OperatorError } from '../../../model/operator-error.ts'
import { usageError } from '../../errors.ts'

/** A resource on a command line, with properties as `name=text` or `name:=yaml`. */
interface ResourceWords {
  readonly type: string
  readonly name: string
  readonly properties: readonly string[]
}

/** Common text properties. */
const COMMON_TEXTS: ReadonlySet<string> = new Set(['alias', 'provider'])

/**
 * Scans one resource given on the command line and returns the exit code. Throws an `OperatorError` for invalid words.
 */
export async function runEnsure(
  { operands: [type = '', name = '', ...properties], options }: EnsureInvocation,
  io: Io,
): Promise<number> {
  const { types } = await loadExtensions(options, io)
  const text = resourceText(types, { type, name, properties })
  const flags = { ...options, only: [], skip: [], checksum: [] }
  const request = await scanRequestOf({ operands: [COMMAND_LINE], options: flags }, 'ensure')
  return performOn({ ...request, texts: new Map([[COMMAND_LINE, text]]) }, io)
}

/** Policy text with just this resource. Throws a usage error for invalid words. */
function resourceText(types: readonly ResourceType[], { type, name, properties }: ResourceWords): string {
  const known = types.map((each) => each.type)
  const found = types.find((each) => each.type === type)
  if (found === undefined)
    throw ensureUsageError(`unknown type "${type}"${didYouMean(type, known)} (${known.join(', ')})`)
  const body: Record<string, unknown> = {}
  for (const word of properties) {
    const [property, value] = readProperty(found, word)
    if (Object.hasOwn(body, property)) throw ensureUsageError(`property ${property} is given more than once`)
    body[property] = value
  }
  const { ensure } = found.properties
  const isPresent = ensure?.kind === 'text' && (ensure.oneOf?.includes('present') ?? true) && ensure.required === true
  const whole = isPresent && body['ensure'] === undefined ? { ensure: 'present', ...body } : body
  return JSON.stringify({ policy: { id: 'ensure' }, ccm: { resources: [{ [type]: [{ [name]: whole }] }] } })
}

function readProperty({ properties }: ResourceType, word: string): [property: string, value: unknown] {
  const [, property = '', operator = '', text = ''] = /^([^:=]*)(:?=)(.*)$/s.exec(word) ?? []
  if (property === '') throw ensureUsageError(`"${word}" is not a property: write NAME=VALUE or NAME:=YAML`)
  const spec = properties[propertyNames(properties).get(property) ?? property]
  const isText = spec?.kind === 'text' || (spec === undefined && COMMON_TEXTS.has(property))
  return [property, operator === '=' && isText ? text : readYaml(property, text)]
}

function readYaml(property: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw ensureUsageError(
      `${property}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`,
    )
  }
}

function ensureUsageError(message: string): OperatorError {
  return usageError(message, 'ensure')
}
