import { compareStrings, countBytes } from '../govalue/index.ts'
import { entriesOf, wholeValue, type Entry } from './document.ts'
import { asBool, asInt, asString, isArray, stringContent, type GjsonResult } from './result.ts'
import { endOfString } from './scan.ts'
import { charge, runNested, type Work } from './work.ts'

interface Style {
  readonly width: number
  readonly prefix: string
  readonly indent: string
  readonly order: 'as-is' | 'sorted'
}

/** Layout at one position of the document. */
interface Place {
  readonly style: Style
  readonly work: Work
  readonly level: number
  /** Bytes already on the line. */
  readonly column: number
}

const defaultStyle: Style = { width: 80, prefix: '', indent: '  ', order: 'as-is' }

/**
 * Formats JSON over several lines, with a final newline. Arrays without objects that fit into the width stay on one line. The
 * argument is an object with the options `sortKeys`, `indent`, `prefix` and `width`.
 */
export function prettyJson(json: string, argument: string, work: Work): string {
  const style = readStyle(argument)
  const text = style.prefix + layOut(wholeValue(json), { style, work, level: 0, column: countBytes(style.prefix) })
  return text === '' ? '' : `${text}\n`
}

function readStyle(argument: string): Style {
  let style = defaultStyle
  for (const { key, value } of entriesOf(wholeValue(argument))) {
    switch (stringContent(key)) {
      case 'sortKeys':
        style = { ...style, order: asBool(value) ? 'sorted' : 'as-is' }
        break
      case 'indent':
        style = { ...style, indent: whiteSpaceOf(asString(value)) }
        break
      case 'prefix':
        style = { ...style, prefix: whiteSpaceOf(asString(value)) }
        break
      case 'width':
        style = { ...style, width: Number(asInt(value)) }
    }
  }
  return style
}

function whiteSpaceOf(text: string): string {
  return text.replaceAll(/[^ \t\n\r]/g, '')
}

function layOut(value: GjsonResult, place: Place): string {
  if (value.type !== 'JSON') return scalarText(value)
  charge(place.work, value.raw.length)
  return runNested(place.work, () => (isArray(value) ? layOutArray(value, place) : layOutObject(value, place)))
}

function scalarText(value: GjsonResult): string {
  if (value.type === 'True') return 'true'
  if (value.type === 'False') return 'false'
  return value.type === 'Null' && value.raw !== '' ? 'null' : value.raw
}

function layOutArray(array: GjsonResult, place: Place): string {
  const room = place.style.width - place.column
  const line = place.style.width > 0 && room > 3 ? onOneLine(array, place.work) : undefined
  if (line !== undefined && countBytes(line) <= room) return line
  const elements = entriesOf(array)
  const level = place.level + 1
  const lines = elements.map(({ value }, position) => {
    // The line break replaces the space after a comma; the first one counts as part of the line.
    const column = (position === 0 ? 1 : 0) + countBytes(margin(place.style, level))
    return margin(place.style, level) + layOut(value, { ...place, level, column })
  })
  return brackets('[', lines, ']', place)
}

/** Array on one line; undefined if it contains an object. */
function onOneLine(array: GjsonResult, work: Work): string | undefined {
  charge(work, array.raw.length)
  const parts: string[] = []
  for (const { value } of entriesOf(array)) {
    const part = value.type === 'JSON' ? runNested(work, () => oneLineOfNested(value, work)) : scalarText(value)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return `[${parts.join(', ')}]`
}

function oneLineOfNested(value: GjsonResult, work: Work): string | undefined {
  return isArray(value) ? onOneLine(value, work) : undefined
}

function layOutObject(object: GjsonResult, place: Place): string {
  const level = place.level + 1
  const members = entriesOf(object)
  const lines = (place.style.order === 'sorted' ? members.toSorted(byKey) : members).map(({ key, value }) => {
    const start = `${margin(place.style, level)}${key.raw}: `
    return start + layOut(value, { ...place, level, column: 1 + countBytes(start) })
  })
  return brackets('{', lines, '}', place)
}

function byKey(left: Entry, right: Entry): number {
  return compareStrings(stringContent(left.key), stringContent(right.key))
}

function margin(style: Style, level: number): string {
  return style.prefix + style.indent.repeat(level)
}

function brackets(open: string, lines: readonly string[], close: string, place: Place): string {
  if (lines.length === 0) return open + close
  return `${open}\n${lines.join(',\n')}\n${margin(place.style, place.level)}${close}`
}

/** Removes all white space outside strings. */
export function uglyJson(json: string): string {
  let text = ''
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charAt(at)
    if (char === '"') {
      const end = endOfString(json, at)
      const stop = end === -1 ? json.length : end
      text += json.slice(at, stop)
      at = stop - 1
    } else if (char > ' ') {
      text += char
    }
  }
  return text
}
