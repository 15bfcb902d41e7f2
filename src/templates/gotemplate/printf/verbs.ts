import { TemplateError } from '../../errors.ts'
import {
  encodeUtf8,
  formatGoDuration,
  formatGoTimeString,
  goTypeName,
  isGoBytes,
  sortedEntries,
  tagGoValue,
  toCivil,
  type GoTime,
  type GoValue,
} from '../../govalue/index.ts'
import { canBackquote, quoteGoString } from '../go-quote.ts'
import { chargeText, ownText } from '../text-value.ts'
import { pad, padding, type Flags } from './flags.ts'
import { formatFloat } from './float.ts'
import { formatInteger } from './integer.ts'

const TEXT_VERBS = 'vsxXq'

/** Formats one argument for a verb, like Go's `printArg`. A verb of another type prints `%!verb(type=value)`. */
export function formatArgument(value: GoValue, verb: string, flags: Flags): string {
  flags.budget.step()
  if (value === null) return verb === 'v' || verb === 'T' ? pad('<nil>', flags) : `%!${verb}(<nil>)`
  if (verb === 'T') return formatText(goTypeName(value), 's', flags) ?? ''
  // Only errors can be wrapped.
  if (verb === 'w' && !isGoBytes(value)) return badVerb(value, verb, flags)
  if (verb === 'p') return formatPointer(value, flags)
  return formatValue(value, verb, flags, 0)
}

// Addresses differ between runs, so text with an address can never be compared.
function formatPointer(value: GoValue, flags: Flags): string {
  const { kind } = tagGoValue(value)
  if (kind === 'list' || kind === 'map' || kind === 'bytes' || kind === 'function' || kind === 'location') {
    throw new TemplateError('printf: the address that %p prints is different at every run')
  }
  return badVerb(value, 'p', flags)
}

function badVerb(value: GoValue, verb: string, flags: Flags): string {
  return `%!${verb}(${goTypeName(value)}=${formatValue(value, 'v', flags, 0)})`
}

const MAX_PRINT_DEPTH = 500

function formatValue(value: GoValue, verb: string, flags: Flags, depth: number): string {
  flags.budget.step()
  if (depth > MAX_PRINT_DEPTH) throw new TemplateError(`values are nested deeper than ${MAX_PRINT_DEPTH} levels`)
  const own = flags.sharpV ? undefined : ownText(value)
  if (own !== undefined && TEXT_VERBS.includes(verb)) return formatText(own, verb, flags) ?? ''
  const tagged = tagGoValue(value)
  switch (tagged.kind) {
    case 'list':
      return formatList(tagged.value, verb, flags, depth)
    case 'map':
      return formatMap(tagged.value, verb, flags, depth)
    case 'nil':
      return flags.sharpV ? 'interface {}(nil)' : '<nil>'
    default:
      return formatScalar(value, verb, flags) ?? badVerb(value, verb, flags)
  }
}

function formatScalar(value: GoValue, verb: string, flags: Flags): string | undefined {
  const tagged = tagGoValue(value)
  switch (tagged.kind) {
    case 'bool':
      return verb === 't' || verb === 'v' ? pad(String(tagged.value), flags) : undefined
    case 'int':
      return formatInteger(tagged.value, verb, flags)
    case 'float':
      return formatFloat(tagged.value, verb, flags)
    case 'string':
      return formatText(tagged.value, verb, flags)
    case 'bytes':
      return formatBytes(tagged.value, verb, flags)
    case 'duration':
      return TEXT_VERBS.includes(verb) && !flags.sharpV
        ? formatText(formatGoDuration(tagged.value), verb, flags)
        : formatInteger(tagged.value.nanoseconds, verb, flags)
    case 'time':
      return formatText(flags.sharpV ? goSyntaxOfTime(tagged.value) : formatGoTimeString(tagged.value), verb, {
        ...flags,
        sharpV: false,
      })
    case 'enum':
      return TEXT_VERBS.includes(verb) && !flags.sharpV
        ? formatText(tagged.value.name, verb, flags)
        : formatInteger(tagged.value.value, verb, flags)
    case 'location':
      return formatText(tagged.value.name, verb, flags)
    default:
      return undefined
  }
}

/** `time.Time`'s `GoString`. */
function goSyntaxOfTime(time: GoTime): string {
  const { year, month, day, hour, minute, second, nanosecond } = toCivil(time)
  const monthName = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2000, month - 1),
  )
  const zone = time.location.name === 'UTC' ? 'time.UTC' : `time.Location(${quoteGoString(time.location.name)})`
  return `time.Date(${year}, time.${monthName}, ${day}, ${hour}, ${minute}, ${second}, ${nanosecond}, ${zone})`
}

function truncate(text: string, flags: Flags): string {
  const { precision } = flags
  if (precision === undefined || text.length <= precision) return text
  let end = 0
  let runes = 0
  for (const rune of text) {
    if (runes === precision) break
    runes += 1
    end += rune.length
  }
  return text.slice(0, end)
}

function formatText(text: string, verb: string, flags: Flags): string | undefined {
  chargeText(flags.budget, text.length)
  switch (verb) {
    case 'v':
      return flags.sharpV ? quoteText(text, flags) : pad(truncate(text, flags), flags)
    case 's':
      return pad(truncate(text, flags), flags)
    case 'x':
    case 'X':
      return hexBytes(encodeUtf8(text), verb, flags)
    case 'q':
      return quoteText(text, flags)
    default:
      return undefined
  }
}

function quoteText(text: string, flags: Flags): string {
  const shown = truncate(text, flags)
  chargeText(flags.budget, shown.length * 10)
  if (flags.sharp && canBackquote(shown)) return pad(`\`${shown}\``, flags)
  return pad(quoteGoString(shown, flags.plus ? 'ascii' : 'printable'), flags)
}

function hexBytes(bytes: Uint8Array, verb: 'x' | 'X', flags: Flags): string {
  const shown = flags.precision === undefined ? bytes : bytes.slice(0, flags.precision)
  if (shown.length === 0) return padding(flags.width ?? 0, flags)
  chargeText(flags.budget, shown.length * 5)
  const prefix = flags.sharp ? `0${verb}` : ''
  const digits = Array.from(shown, (byte) => {
    const pair = byte.toString(16).padStart(2, '0')
    return verb === 'X' ? pair.toUpperCase() : pair
  })
  return pad(prefix + digits.join(flags.space ? ` ${prefix}` : ''), flags)
}

function formatBytes(bytes: Uint8Array, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case 's':
      return pad(truncate(Buffer.from(bytes).toString('utf8'), flags), flags)
    case 'x':
    case 'X':
      return hexBytes(bytes, verb, flags)
    case 'q':
      return quoteText(Buffer.from(bytes).toString('utf8'), flags)
    default: {
      flags.budget.step(bytes.length)
      if (!flags.sharpV) return `[${Array.from(bytes, (byte) => formatByte(byte, verb, flags)).join(' ')}]`
      return `[]byte{${Array.from(bytes, (byte) => formatByte(byte, 'x', { ...flags, sharp: true })).join(', ')}}`
    }
  }
}

function formatByte(byte: number, verb: string, flags: Flags): string {
  const number = formatInteger(BigInt(byte), verb, flags)
  return number ?? `%!${verb}(uint8=${formatInteger(BigInt(byte), 'v', flags) ?? ''})`
}

function formatList(items: readonly GoValue[], verb: string, flags: Flags, depth: number): string {
  const texts = items.map((item) => formatValue(item, verb, flags, depth + 1))
  return flags.sharpV ? `[]interface {}{${joinTexts(texts, ', ', flags)}}` : `[${joinTexts(texts, ' ', flags)}]`
}

function formatMap(map: ReadonlyMap<GoValue, GoValue>, verb: string, flags: Flags, depth: number): string {
  const texts = sortedEntries(map).map(([key, value]) => {
    return `${formatValue(key, verb, flags, depth + 1)}:${formatValue(value, verb, flags, depth + 1)}`
  })
  return flags.sharpV ? `${goTypeName(map)}{${joinTexts(texts, ', ', flags)}}` : `map[${joinTexts(texts, ' ', flags)}]`
}

function joinTexts(texts: readonly string[], separator: string, flags: Flags): string {
  chargeText(
    flags.budget,
    texts.reduce((sum, text) => sum + text.length, 0),
  )
  return texts.join(separator)
}
