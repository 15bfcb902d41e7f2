import type { SourceText } from '../../../policy/document/lines.ts'
import { plain, type TreeNode, type TreeScalar } from '../../../policy/document/tree.ts'

/** How the values of one text are read. */
export interface YamlValues {
  /** Plain data, whole numbers as bigint; days and times stay text. */
  readonly valueOf: (node: TreeNode) => unknown
  /** Whether a key or value is a text, and not a number or the like. */
  readonly isText: (text: string, offset: number) => boolean
}

/**
 * Reads values as Ansible does, which is by YAML 1.1: `yes` is true there, and `0644` is 420. In what is written as JSON every value is what
 * it is.
 */
export function yamlValues(source: SourceText): YamlValues {
  if (/^\s*[[{]/.test(source.text) && isJson(source.text))
    return { valueOf: (node) => plain(node, jsonValue), isText: () => true }
  return {
    valueOf: (node) => plain(node, (scalar) => scalarOf(scalar, source)),
    isText: (text, offset) => isMarkedText(offset, source) || typeof resolve(text) === 'string',
  }
}

/** Whole numbers are as exact as they are written. */
function jsonValue({ value, text }: TreeScalar): unknown {
  return typeof value === 'number' && /^-?\d+$/.test(text) ? BigInt(text) : value
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function scalarOf(scalar: TreeScalar, source: SourceText): unknown {
  if (scalar.value === null) return null
  return isMarkedText(scalar.offset, source) ? scalar.text : resolve(scalar.text)
}

/** Whether quotes, a block or a tag say that it is a text. */
function isMarkedText(offset: number, { text }: SourceText): boolean {
  return (
    /["'|>]/.test(text.charAt(offset)) ||
    /(?:!!str|!unsafe|!vault)\s+$/.test(text.slice(Math.max(0, offset - 20), offset))
  )
}

const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/
const NULL = /^(?:~|null|Null|NULL|)$/
const WHOLE = /^([-+]?)(?:0b([01_]+)|0x([0-9a-fA-F_]+)|(0[0-7_]*|[1-9][0-9_]*)|([1-9][0-9_]*(?::[0-5]?[0-9])+))$/
const FLOAT = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$/
const SIXTIETHS = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/

/** @see https://yaml.org/type/ as PyYAML has it */
function resolve(text: string): unknown {
  if (TRUE.test(text)) return true
  if (FALSE.test(text)) return false
  if (NULL.test(text)) return null
  const whole = WHOLE.exec(text)
  if (whole !== null) return wholeNumber(whole) ?? text
  if (FLOAT.test(text)) return Number(text.replaceAll('_', ''))
  if (SIXTIETHS.test(text)) return sixtieths(text)
  const infinite = INFINITE.exec(text)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  return NOT_A_NUMBER.test(text) ? NaN : text
}

function wholeNumber([, sign = '', binary, hexadecimal, digits, sixty]: RegExpExecArray): bigint | undefined {
  const magnitude = magnitudeOf(
    binary === undefined ? (hexadecimal === undefined ? undefined : `0x${hexadecimal}`) : `0b${binary}`,
    digits,
    sixty,
  )
  return magnitude !== undefined && sign === '-' ? -magnitude : magnitude
}

function magnitudeOf(
  based: string | undefined,
  digits: string | undefined,
  sixty: string | undefined,
): bigint | undefined {
  if (sixty !== undefined) {
    return sixty.split(':').reduce((sum, part) => sum * 60n + BigInt(part.replaceAll('_', '')), 0n)
  }
  const text = (based ?? digits ?? '').replaceAll('_', '')
  if (text === '0' || !/^0[0-7]/.test(text)) return /^0[bx]$|^$/.test(text) ? undefined : BigInt(text)
  return BigInt(`0o${text.slice(1)}`)
}

function sixtieths(text: string): number {
  const sum = text
    .replace(/^[-+]/, '')
    .split(':')
    .reduce((total, part) => total * 60 + Number(part.replaceAll('_', '')), 0)
  return text.startsWith('-') ? -sum : sum
}
