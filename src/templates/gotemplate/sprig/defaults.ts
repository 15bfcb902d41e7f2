import { TemplateError } from '../../errors.ts'
import { decodeGoJson, encodeGoJson, type Budget, type GoValue } from '../../govalue/index.ts'
import { fixed, renamed, variadic, type TemplateFunction } from '../functions.ts'
import { chargeContents, ownText } from '../text-value.ts'
import { isTrue } from '../truth.ts'

// No template value is empty for sprig but true for text/template, or vice versa.
function isEmpty(value: GoValue): boolean {
  return !isTrue(value)
}

/** Result of `toJson`; empty for a value that JSON cannot represent. */
function jsonOrNothing(write: () => string): string {
  try {
    return write()
  } catch (error) {
    if (error instanceof TemplateError && error.message.startsWith('json: ')) return ''
    throw error
  }
}

interface JsonForm {
  readonly indent?: string
  readonly escape?: 'html' | 'plain'
}

function encode(value: GoValue, form: JsonForm, budget: Budget): string {
  chargeContents(budget, value)
  return encodeGoJson(ownText(value) ?? value, { ...form, budget })
}

/** Function that returns nothing for values that JSON cannot represent, and its `must` form, which fails. */
function jsonWriters(name: string, form: JsonForm, onError: 'nothing' | 'failure'): TemplateFunction[] {
  const must = fixed(name, ['any'], ([value], { budget }) => encode(value, form, budget))
  const lenient = fixed(name, ['any'], ([value], { budget }) => jsonOrNothing(() => encode(value, form, budget)))
  return [
    onError === 'nothing' ? lenient : must,
    renamed(must, `must${name.slice(0, 1).toUpperCase()}${name.slice(1)}`),
  ]
}

const mustFromJson = fixed('mustFromJson', ['string'], ([text]) => decodeGoJson(text))

function fromJson(text: string): GoValue {
  try {
    return decodeGoJson(text)
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

/** Functions that choose between values, and JSON functions. */
export const DEFAULT_FUNCTIONS: readonly TemplateFunction[] = [
  variadic('default', [['any'], 'any'], ([fallback], [given = null]) => (isEmpty(given) ? fallback : given)),
  fixed('empty', ['any'], ([value]) => isEmpty(value)),
  variadic('coalesce', [[], 'any'], (_, values) => values.find((value) => !isEmpty(value)) ?? null),
  variadic('all', [[], 'any'], (_, values) => values.every((value) => !isEmpty(value))),
  variadic('any', [[], 'any'], (_, values) => values.some((value) => !isEmpty(value))),
  fixed('ternary', ['any', 'any', 'boolean'], ([yes, no, condition]) => (condition ? yes : no)),
  fixed('fromJson', ['string'], ([text]) => fromJson(text)),
  mustFromJson,
  ...jsonWriters('toJson', {}, 'nothing'),
  ...jsonWriters('toPrettyJson', { indent: '  ' }, 'nothing'),
  ...jsonWriters('toRawJson', { escape: 'plain' }, 'failure'),
]
