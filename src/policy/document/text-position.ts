import type { Position } from '../../model/problem.ts'
import { positionAt, type SourceText } from './lines.ts'
import type { TreeScalar } from './tree.ts'

/**
 * The position of a character of a scalar's text. Exact for plain and quoted text on one line and for literal blocks;
 * for escaped or folded text, the start of the scalar.
 */
export function positionInScalar(source: SourceText, scalar: TreeScalar, index: number): Position {
  const { offset, text } = scalar
  for (const skipped of [0, 1]) {
    const start = offset + skipped
    if (source.text.startsWith(text, start)) return positionAt(source, start + index)
  }
  return positionInBlock(source, scalar, index) ?? positionAt(source, offset)
}

/** In a literal block, every line of the text is an indented line of the file. */
function positionInBlock(source: SourceText, { offset, text }: TreeScalar, index: number): Position | undefined {
  const before = text.slice(0, index).split('\n')
  const { line } = positionAt(source, offset)
  const wanted = text.split('\n')[before.length - 1] ?? ''
  const start = source.lineStarts[line + before.length - 1]
  if (start === undefined) return undefined
  const end = source.lineStarts[line + before.length] ?? source.text.length + 1
  const written = source.text.slice(start, end - 1).replace(/\r$/, '')
  const indent = written.length - wanted.length
  if (indent < 0 || written.slice(indent) !== wanted || written.slice(0, indent).trim() !== '') return undefined
  return positionAt(source, start + indent + (before.at(-1)?.length ?? 0))
}
