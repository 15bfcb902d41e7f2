import { TemplateError } from '../../../src/templates/errors.ts'
import type { GoFunction, GoValue } from '../../../src/templates/govalue/index.ts'
import { renderJet, type JetParseOptions, type JetRenderOptions } from '../../../src/templates/jet/index.ts'

export function map(entries: Readonly<Record<string, GoValue>>): ReadonlyMap<GoValue, GoValue> {
  return new Map(Object.entries(entries))
}

export function func(name: string, call: (args: readonly GoValue[]) => GoValue): GoFunction {
  return { kind: 'function', name, call }
}

/** Data like that of a host, as CCM hands it to templates. */
export const DATA: ReadonlyMap<GoValue, GoValue> = map({
  port: 8080n,
  fl: 1e6,
  list: ['a', 'b'],
  ints: [1n, 2n],
  nested: map({ x: 1n }),
  nilv: null,
  empty: [],
  text: 'h\u00e9',
  bytes: new Uint8Array([0x68, 0x69]),
  numbered: new Map<GoValue, GoValue>([
    [1n, 'one'],
    [2.5, 'more'],
    [true, 'yes'],
  ]),
})

/** Renders with CCM's delimiters and `DATA` as the variable `data` and as the dot. */
export function render(source: string, options: JetParseOptions & JetRenderOptions = {}): string {
  return renderJet(source, {
    delimiters: ['[[', ']]'],
    variables: new Map<string, GoValue>([['data', DATA]]),
    context: DATA,
    name: '/f',
    ...options,
  })
}

export function failure(source: string, options?: JetParseOptions & JetRenderOptions): TemplateError {
  try {
    render(source, options)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error(`nothing was thrown by ${source}`)
}
