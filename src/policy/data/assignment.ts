import { parse, stringify } from 'yaml'
import { TemplateError } from '../../templates/errors.ts'
import { fromPlain, type GoValue, toPlain } from '../../templates/govalue/index.ts'
import type { DataMap, Layer } from './merge.ts'

/** `key.path=value` of a flag. */
export interface Assignment {
  readonly path: readonly string[]
  readonly text: string
}

/** Splits an assignment at its first `=`, and its key at dots that no backslash protects. */
export function parseAssignment(argument: string): Assignment | { readonly message: string } {
  const separator = argument.indexOf('=')
  const key = argument.slice(0, Math.max(separator, 0))
  if (separator <= 0) return { message: `"${argument}" is no assignment, write key.path=value` }
  const path = key.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'))
  if (path.includes('')) return { message: `"${key}" has an empty part, write key.path=value` }
  return { path, text: argument.slice(separator + 1) }
}

/** Assignments that lay the same over other data as layers do whose keys have neither `=` nor a backslash. */
export function assignmentsOf(layers: readonly Layer[]): readonly string[] {
  return layers.flatMap(({ data }) =>
    [...data].map(([key, value]) => {
      const name = typeof key === 'string' ? key : JSON.stringify(toPlain(key))
      return `${name.replaceAll('.', '\\.')}=${stringify(toPlain(value))}`
    }),
  )
}

/** A map that holds nothing but a value at a path. */
export function mapAt(path: readonly string[], value: GoValue): DataMap {
  const nested = path.reduceRight<GoValue>((inner, key) => new Map([[key, inner]]), value)
  return nested instanceof Map ? nested : new Map()
}

/** What a text means, or why it means nothing. */
export type AssignedValue = { readonly value: GoValue } | { readonly message: string }

/** The value a text means in YAML, so that numbers, booleans and lists can be given; text that is no YAML stays text. */
export function valueOfText(text: string): AssignedValue {
  let data: unknown
  try {
    data = parse(text, { intAsBigInt: true, merge: true, logLevel: 'error' })
  } catch {
    // What does not parse was meant as text, such as `a: b: c`.
    return { value: text }
  }
  try {
    return { value: fromPlain(data) }
  } catch (error) {
    if (error instanceof TemplateError) return { message: error.message }
    throw error
  }
}
