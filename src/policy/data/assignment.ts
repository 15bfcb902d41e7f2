import { parse, stringify } from 'yaml'
import { TemplateError } from '../../templates/errors.ts'
import { fromPlain, type GoValue, toPlain } from '../../templates/govalue/index.ts'
import type { DataMap, Layer } from './merge.ts'

/** An assignment `key.path=value` on the command line. */
export interface Assignment {
  readonly path: readonly string[]
  readonly text: string
}

/** Splits an assignment at its first `=`, and its key at dots without a backslash. */
export function parseAssignment(argument: string): Assignment | { readonly message: string } {
  const separator = argument.indexOf('=')
  const key = argument.slice(0, Math.max(separator, 0))
  if (separator <= 0) return { message: `"${argument}" is not an assignment: write key.path=value` }
  const path = key.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'))
  if (path.includes('')) return { message: `"${key}" has an empty part: write key.path=value` }
  return { path, text: argument.slice(separator + 1) }
}

/** Assignments with the effect of the layers, if no key contains `=` or a backslash. */
export function assignmentsOf(layers: readonly Layer[]): readonly string[] {
  return layers.flatMap(({ data }) =>
    [...data].map(([key, value]) => {
      const name = typeof key === 'string' ? key : JSON.stringify(toPlain(key))
      return `${name.replaceAll('.', '\\.')}=${stringify(toPlain(value))}`
    }),
  )
}

/** A map that contains only a value at a path. */
export function mapAt(path: readonly string[], value: GoValue): DataMap {
  const nested = path.reduceRight<GoValue>((inner, key) => new Map([[key, inner]]), value)
  return nested instanceof Map ? nested : new Map()
}

export type AssignedValue = { readonly value: GoValue } | { readonly message: string }

/** Parses a text as YAML, so that numbers, booleans and lists can be given; invalid YAML is taken as text. */
export function valueOfText(text: string): AssignedValue {
  let data: unknown
  try {
    data = parse(text, { intAsBigInt: true, merge: true, logLevel: 'error' })
  } catch {
    // Invalid YAML is text, such as `a: b: c`.
    return { value: text }
  }
  try {
    return { value: fromPlain(data) }
  } catch (error) {
    if (error instanceof TemplateError) return { message: error.message }
    throw error
  }
}
