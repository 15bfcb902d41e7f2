import { integerOf } from '../kinds.ts'
import { goTypeName, type Budget, type GoValue } from '../../govalue/index.ts'
import { chargeText, valueText } from '../text-value.ts'
import { noFlags, type Flags } from './flags.ts'
import { formatArgument } from './verbs.ts'

// Go's maximum width, precision and argument number.
const MAX_NUMBER = 1_000_000

interface Printer {
  readonly format: string
  readonly args: readonly GoValue[]
  readonly budget: Budget
  position: number
  argument: number
  /** An explicit argument index was used, so unused arguments are not reported. */
  reordered: boolean
  /** Whether the explicit indexes of the current verb are valid. */
  goodIndex: boolean
  afterIndex: boolean
}

/** Go's `fmt.Sprintf` with all its verbs and flags. Wrong formats give Go's `%!…` texts, never an error. */
export function formatPrintf(format: string, args: readonly GoValue[], budget: Budget): string {
  const printer: Printer = {
    format,
    args,
    budget,
    position: 0,
    argument: 0,
    reordered: false,
    goodIndex: true,
    afterIndex: false,
  }
  let text = ''
  for (;;) {
    const percent = format.indexOf('%', printer.position)
    text += format.slice(printer.position, percent < 0 ? format.length : percent)
    if (percent < 0) break
    printer.position = percent + 1
    budget.step()
    text += formatVerb(printer)
  }
  return text + extraArguments(printer)
}

/** Go's `fmt.Sprint`: a space only between two arguments that are not strings. */
export function print(args: readonly GoValue[], budget: Budget): string {
  let text = ''
  for (const [index, arg] of args.entries()) {
    if (index > 0 && typeof arg !== 'string' && typeof args[index - 1] !== 'string') text += ' '
    text += valueText(arg, budget)
  }
  chargeText(budget, text.length)
  return text
}

/** Go's `fmt.Sprintln`: a space between all arguments and a line feed at the end. */
export function printLine(args: readonly GoValue[], budget: Budget): string {
  const text = args.map((arg) => valueText(arg, budget)).join(' ')
  chargeText(budget, text.length)
  return `${text}\n`
}

function readFlags(printer: Printer): Flags {
  const flags = noFlags(printer.budget)
  for (; ; printer.position += 1) {
    switch (printer.format[printer.position]) {
      case '#':
        flags.sharp = true
        break
      case '0':
        flags.zero = true
        break
      case '+':
        flags.plus = true
        break
      case '-':
        flags.minus = true
        break
      case ' ':
        flags.space = true
        break
      default:
        return flags
    }
  }
}

/** Reads decimal digits; undefined without digits. A number that is too large ends the format. */
function readNumber(printer: Printer, end: number): number | undefined {
  const digits = /[0-9]*/y
  digits.lastIndex = printer.position
  const text = (digits.exec(printer.format)?.[0] ?? '').slice(0, end - printer.position)
  if (text === '') return undefined
  // Go stops at the digit that makes the number too large, and skips the rest.
  if (text.length > 7 && Number(text.slice(0, -1)) > MAX_NUMBER) {
    printer.position = end
    return undefined
  }
  printer.position += text.length
  return Number(text)
}

/** Reads an explicit argument index such as `[2]`. */
function readIndex(printer: Printer): boolean {
  const { format, position } = printer
  if (format[position] !== '[') return false
  printer.reordered = true
  const close = format.indexOf(']', position)
  if (close < 0) {
    printer.position += 1
    printer.goodIndex = false
    return false
  }
  const text = format.slice(position + 1, close)
  printer.position = close + 1
  const isNumber = /^[0-9]{1,7}$/.test(text)
  const index = Number(text) - 1
  if (isNumber && index >= 0 && index < printer.args.length) {
    printer.argument = index
    return true
  }
  printer.goodIndex = false
  return isNumber
}

/** Consumes the next argument as a width or precision; undefined if it is not a suitable integer. */
function integerArgument(printer: Printer): number | undefined {
  const value = printer.args[printer.argument]
  if (printer.argument < printer.args.length) printer.argument += 1
  const number = integerOf(value)
  if (number === undefined || number > BigInt(MAX_NUMBER) || number < BigInt(-MAX_NUMBER)) return undefined
  return Number(number)
}

function readWidth(printer: Printer, flags: Flags): string {
  if (printer.format[printer.position] !== '*') {
    flags.width = readNumber(printer, printer.format.length)
    if (printer.afterIndex && flags.width !== undefined) printer.goodIndex = false
    return ''
  }
  printer.position += 1
  printer.afterIndex = false
  const width = integerArgument(printer)
  if (width === undefined) return '%!(BADWIDTH)'
  if (width < 0) {
    flags.minus = true
    flags.zero = false
  }
  flags.width = Math.abs(width)
  return ''
}

function readPrecision(printer: Printer, flags: Flags): string {
  const { format } = printer
  if (format[printer.position] !== '.' || printer.position + 1 >= format.length) return ''
  printer.position += 1
  if (printer.afterIndex) printer.goodIndex = false
  printer.afterIndex = readIndex(printer)
  if (format[printer.position] !== '*') {
    flags.precision = readNumber(printer, format.length) ?? 0
    return ''
  }
  printer.position += 1
  printer.afterIndex = false
  const precision = integerArgument(printer)
  if (precision === undefined || precision < 0) return '%!(BADPREC)'
  flags.precision = precision
  return ''
}

function formatVerb(printer: Printer): string {
  printer.goodIndex = true
  const flags = readFlags(printer)
  printer.afterIndex = readIndex(printer)
  let text = readWidth(printer, flags)
  text += readPrecision(printer, flags)
  if (!printer.afterIndex) printer.afterIndex = readIndex(printer)
  const code = printer.format.codePointAt(printer.position)
  if (code === undefined) return `${text}%!(NOVERB)`
  const verb = String.fromCodePoint(code)
  printer.position += verb.length
  if (verb === '%') return `${text}%`
  if (!printer.goodIndex) return `${text}%!${verb}(BADINDEX)`
  const { argument } = printer
  if (argument >= printer.args.length) return `${text}%!${verb}(MISSING)`
  printer.argument += 1
  if (verb === 'v' || verb === 'w') {
    flags.sharpV = flags.sharp
    flags.sharp = false
    flags.plus = false
  }
  return text + formatArgument(printer.args[argument] ?? null, verb, flags)
}

function extraArguments(printer: Printer): string {
  if (printer.reordered || printer.argument >= printer.args.length) return ''
  const extra = printer.args.slice(printer.argument).map((arg) => {
    if (arg === null) return '<nil>'
    return `${goTypeName(arg)}=${formatArgument(arg, 'v', noFlags(printer.budget))}`
  })
  return `%!(EXTRA ${extra.join(', ')})`
}
