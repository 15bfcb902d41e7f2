import type { Problem } from '../../model/problem.ts'
import { TemplateError } from '../template/index.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { positionInScalar } from '../document/text-position.ts'
import type { TreeNode, TreeScalar } from '../document/tree.ts'

/** Why a text could not be expanded. */
export interface TextProblem extends Problem {
  /** It needs what could not be read, so that nothing is said about the text itself. */
  readonly isUnread?: boolean
  /** As that of an `Unknown`. */
  readonly needs?: 'running-system'
}

/** The problem a failed template makes, at its place in the file. Anything but a template's own error is thrown on. */
export function templateProblem(source: SourceText, scalar: TreeScalar, error: unknown): Problem {
  if (!(error instanceof TemplateError)) throw error
  const position = positionInScalar(source, scalar, error.offset ?? 0)
  const message = headlineIn(source, scalar, error) + shellHint(source, scalar, error)
  return { ...errorAt(source, offsetOf(source, position), message), position }
}

/** `${HOME}` is an expression here, which the author of a shell command may not know. */
function shellHint(source: SourceText, scalar: TreeScalar, { message, offset = 0 }: TemplateError): string {
  if (source.secrets.nodes.has(scalar) || !message.includes('unknown name')) return ''
  const [, name] = /^\$\{([A-Za-z_]\w*)\}/.exec(scalar.text.slice(Math.max(offset - 2, 0))) ?? []
  return name === undefined ? '' : `; write $\${${name}} where a shell's variable is meant`
}

/** The headline of an error in a scalar of a text; one that is secret may be quoted by it, which is then not shown. */
export function headlineIn(source: SourceText, scalar: TreeNode, error: TemplateError): string {
  return source.secrets.nodes.has(scalar) ? HIDDEN_REASON : headlineOf(error)
}

/** In place of why a template fails that is secret or reads a secret. */
const HIDDEN_REASON = 'the template cannot be evaluated, and why is not shown because it is secret'

/** An error as one line: what went wrong, and what may have been meant. */
export function headlineOf(error: TemplateError): string {
  // The languages draw the line and a caret below their message; the expression in it may have several lines.
  // The place inside the expression means nothing beside the one in the file.
  const headline = error.message
    .replace(/\n \| [^\n]*\n \| \.*\^$/, '')
    .replace(/ \(\d+:\d+\)$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
  return error.hint === undefined ? headline : `${headline}, ${error.hint}`
}

function offsetOf(source: SourceText, { line, column }: { line: number; column: number }): number {
  return (source.lineStarts[line - 1] ?? 0) + column - 1
}
