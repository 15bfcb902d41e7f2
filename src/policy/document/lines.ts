import { lineAt, lineStartsOf } from '../../model/line-numbers.ts'
import { maskUrlPasswords } from '../../model/url-secrets.ts'
import type { Position, Problem } from '../../model/problem.ts'

/** A named text with its line starts, to convert offsets to positions. */
export interface SourceText {
  readonly file: string
  readonly text: string
  /** Offset of the first character of every line. */
  readonly lineStarts: readonly number[]
  readonly secrets: SecretPlaces
}

/** The secret parts of a text, which no problem may quote; collected while the text is read. */
export interface SecretPlaces {
  readonly lines: Set<number>
  /** Nodes whose templates no message may quote. */
  readonly nodes: WeakSet<object>
}

/** Indexes a text. Lines end with a line feed, as in YAML and editors. */
export function sourceText(file: string, text: string): SourceText {
  return { file, text, lineStarts: lineStartsOf(text), secrets: { lines: new Set(), nodes: new WeakSet() } }
}

/** The position of a UTF-16 offset; beyond the end, the end. */
export function positionAt(source: SourceText, offset: number): Position {
  const line = lineAt(source.lineStarts, offset)
  return { file: source.file, line, column: offset - (source.lineStarts[line - 1] ?? 0) + 1 }
}

/** An error at an offset, with its source line unless that is secret. */
export function errorAt(source: SourceText, offset: number, message: string): Problem {
  const position = positionAt(source, offset)
  const problem = { message: maskUrlPasswords(message), position, severity: 'error' } as const
  // The password in a URL is secret even without an annotation.
  return source.secrets.lines.has(position.line)
    ? problem
    : { ...problem, sourceLine: maskUrlPasswords(lineText(source, position.line)) }
}

function lineText({ text, lineStarts }: SourceText, line: number): string {
  const end = lineStarts[line]
  return text.slice(lineStarts[line - 1], end === undefined ? undefined : end - 1).replace(/\r$/, '')
}
