import type { Problem } from '../../model/problem.ts'
import { TemplateError } from '../template/index.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { positionInScalar } from '../document/text-position.ts'
import type { TreeNode, TreeScalar } from '../document/tree.ts'

/** Why a text could not be expanded. */
export interface TextProblem extends Problem {
  /** It needs an unreadable value; the text itself may be correct. */
  readonly isUnread?: boolean
  readonly needs?: 'running-system'
}

/** The problem of a failed template, at its position. Rethrows all errors that are not template errors. */
export function templateProblem(source: SourceText, scalar: TreeScalar, error: unknown): Problem {
  if (!(error instanceof TemplateError)) throw error
  const position = positionInScalar(source, scalar, error.offset ?? 0)
  const message = headlineIn(source, scalar, error) + shellHint(source, scalar, error)
  return { ...errorAt(source, offsetOf(source, position), message), position }
}

/** The problem of a failed template in data or in a level of its hierarchy, where no key of data has a value yet. */
export function dataProblem(source: SourceText, scalar: TreeScalar, error: unknown): Problem {
  const problem = templateProblem(source, scalar, error)
  const [, quoted, key = quoted] = /^(?:missing key 'data\.([^']*)'|no data key "([^"]*)")/.exec(problem.message) ?? []
  if (key === undefined) return problem
  return { ...problem, message: `data.${key} cannot be read here: expressions in data see facts, and no other data` }
}

/** `${HOME}` is an expression here, which the author of a shell command may not expect. */
function shellHint(source: SourceText, scalar: TreeScalar, { message, offset = 0 }: TemplateError): string {
  if (source.secrets.nodes.has(scalar) || !message.includes('unknown name')) return ''
  const [, name] = /^\$\{([A-Za-z_]\w*)\}/.exec(scalar.text.slice(Math.max(offset - 2, 0))) ?? []
  return name === undefined ? '' : `; write $\${${name}} for a shell variable`
}

/** The first line of an error in a scalar; if the scalar is secret, a generic text, since the error may quote it. */
export function headlineIn(source: SourceText, scalar: TreeNode, error: TemplateError): string {
  return source.secrets.nodes.has(scalar) ? HIDDEN_REASON : headlineOf(error)
}

/** Replaces the error of a template that is secret or reads a secret. */
const HIDDEN_REASON = 'the template cannot be evaluated; the reason is hidden because it is secret'

/** An error in one line, with a suggestion if there is one. */
export function headlineOf(error: TemplateError): string {
  // The languages append the source line and a caret to their message; the expression in it may have several lines. The
  // position inside the expression is dropped in favour of that in the file.
  const headline = error.message
    .replace(/\n \| [^\n]*\n \| \.*\^$/, '')
    .replace(/ \(\d+:\d+\)$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
  return error.hint === undefined ? headline : `${headline}, ${error.hint}`
}

function offsetOf(source: SourceText, { line, column }: { line: number; column: number }): number {
  return (source.lineStarts[line - 1] ?? 0) + column - 1
}
