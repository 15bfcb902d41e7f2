import { TemplateError } from '../../../src/templates/errors.ts'
import {
  parseGoTemplate,
  renderGoTemplate,
  type ParseGoTemplateOptions,
  type RenderGoTemplateOptions,
} from '../../../src/templates/gotemplate/index.ts'
import { fromPlain } from '../../../src/templates/govalue/index.ts'

/** Data that the tables of this folder use. */
export const DATA: unknown = {
  host: 'web01',
  port: 8080,
  ratio: 2.5,
  on: true,
  zero: 0,
  empty: '',
  none: null,
  list: [1, 'two', 3.5, null],
  nums: [3, 1, 2],
  noitems: [],
  user: { name: 'Ann', tags: { b: 2, a: 1 } },
  users: [
    { name: 'Ann', uid: 0 },
    { name: 'Bob', uid: 7 },
  ],
  word: 'héllo wörld',
  text: 'one\ntwo',
}

type Options = Partial<ParseGoTemplateOptions> & { readonly run?: RenderGoTemplateOptions }

/** Parses and renders a template named `t`. */
export function render(source: string, data: unknown, { run, ...options }: Options = {}): string {
  const template = parseGoTemplate(source, { name: 't', ...options })
  return renderGoTemplate(template, fromPlain(data), run)
}

/** The error that parsing or rendering a template throws; fails the test without an error or with one of another type. */
export function errorOf(source: string, data: unknown, options: Options = {}): TemplateError {
  try {
    render(source, data, options)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error(`no error for ${source}`)
}
