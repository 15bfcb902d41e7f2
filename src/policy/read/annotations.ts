import type { Problem } from '../../model/problem.ts'
import { type Annotation, parseDirective } from '../data/annotations.ts'
import { takeFlow, takeQuoted } from '../document/flow-yaml.ts'
import { errorAt, positionAt, type SourceText } from '../document/lines.ts'
import { type Scanner, startScanner, take } from '../document/text-scanner.ts'
import type { TreeNode } from '../document/tree.ts'

/** The annotations of a policy's data, with a warning for each invalid one. */
export interface ReadAnnotations {
  readonly annotations: readonly Annotation[]
  readonly warnings: readonly Problem[]
}

/**
 * Reads the annotations in comments above keys, and after keys or values on the same line, at any depth but not inside
 * lists. Comments are read from the text itself, upwards from each key, because a parser may attach the comment of a
 * first key to another node.
 */
export function readAnnotations(source: SourceText, data: TreeNode): ReadAnnotations {
  const annotations: Annotation[] = []
  const warnings: Problem[] = []
  const walk = (node: TreeNode, path: readonly string[], from: number): void => {
    if (node.kind !== 'map') return
    let lowest = from
    for (const [key, { keyOffset, value }] of node.entries) {
      const keyLine = positionAt(source, keyOffset).line
      const comments = [...commentsAbove(source, keyLine, lowest), ...commentBehind(source, keyOffset, value)]
      for (const { text, offset } of comments) {
        const read = parseDirective(text)
        if (read.kind === 'unusable') warnings.push({ ...errorAt(source, offset, read.message), severity: 'warning' })
        if (read.kind !== 'directive') continue
        const { directive, argument } = read
        annotations.push({ path: [...path, key], directive, argument, position: positionAt(source, offset) })
      }
      walk(value, [...path, key], keyLine)
      lowest = lastLine(source, value, keyLine)
    }
  }
  walk(data, [], 0)
  return { annotations, warnings }
}

interface Comment {
  readonly text: string
  /** Offset of its first character other than white space. */
  readonly offset: number
}

/** The comment on the line of a key, after its colon or a value that ends there. */
function commentBehind(source: SourceText, keyOffset: number, value: TreeNode): readonly Comment[] {
  const scanner = { ...startScanner(source.text), at: value.offset }
  const line = positionAt(source, keyOffset).line
  if (positionAt(source, value.offset).line === line) skipValue(scanner, value)
  else scanner.at = keyOffset + (take({ ...scanner, at: keyOffset }, KEY)?.length ?? 0)
  const space = take(scanner, SPACE)
  // Without a space before it, `#` is part of the preceding text.
  const isApart = space !== undefined || /\s/.test(source.text.charAt(scanner.at - 1))
  const sign = isApart ? take(scanner, SIGN) : undefined
  const offset = scanner.at
  const text = sign === undefined ? '' : (take(scanner, REST_OF_LINE) ?? '').trimEnd()
  return text === '' ? [] : [{ text, offset }]
}

const KEY = /[^\n]*?:(?=\s)/y
const SPACE = /[ \t]+/y
const SIGN = /#[ \t]*/y
const REST_OF_LINE = /[^\n]*/y
const BLOCK_HEADER = /[|>][-+\d]*/y

/** Advances past a value that ends on its line; for a block scalar, past its header. */
function skipValue(scanner: Scanner, value: TreeNode): void {
  const first = scanner.text.charAt(scanner.at)
  if (first === '"' || first === "'") takeQuoted(scanner)
  else if (value.kind !== 'scalar') takeFlow(scanner, 0)
  else if (scanner.text.startsWith(value.text, scanner.at)) scanner.at += value.text.length
  else take(scanner, BLOCK_HEADER)
}

/** The comment lines directly above a line, from top to bottom, below `lowest`. Empty lines do not separate them. */
function commentsAbove({ text, lineStarts }: SourceText, line: number, lowest: number): readonly Comment[] {
  const comments: Comment[] = []
  for (let above = line - 1; above > lowest; above--) {
    const start = lineStarts[above - 1] ?? 0
    const written = text.slice(start, lineStarts[above] ?? text.length)
    if (written.trim() === '') continue
    const [prefix, rest] = /^(\s*#\s*)(\S.*)?/.exec(written)?.slice(1) ?? []
    if (prefix === undefined) break
    if (rest !== undefined) comments.unshift({ text: rest.trimEnd(), offset: start + prefix.length })
  }
  return comments
}

/** The last line that certainly belongs to a value: `#` inside a block scalar is not a comment. */
function lastLine(source: SourceText, node: TreeNode, atLeast: number): number {
  if (node.kind === 'scalar') {
    const { line } = positionAt(source, node.offset)
    const isBlock = /[|>]/.test(source.text.charAt(node.offset))
    return Math.max(atLeast, isBlock ? lastBlockLine(source, node.offset) : line)
  }
  const values = node.kind === 'list' ? node.items : [...node.entries.values()].map(({ value }) => value)
  return values.reduce((last, value) => Math.max(last, lastLine(source, value, last)), atLeast)
}

/** A block scalar continues while lines are empty or indented deeper than its first line. */
function lastBlockLine(source: SourceText, offset: number): number {
  const { line } = positionAt(source, offset)
  const indentOf = (number: number): number => /^ */.exec(lineText(source, number))?.[0].length ?? 0
  const opening = indentOf(line)
  let last = line
  for (let number = line + 1; number <= source.lineStarts.length; number++) {
    const isEmpty = lineText(source, number).trim() === ''
    if (!isEmpty && indentOf(number) <= opening) break
    if (!isEmpty) last = number
  }
  return last
}

function lineText({ text, lineStarts }: SourceText, line: number): string {
  return text.slice(lineStarts[line - 1] ?? text.length, lineStarts[line] ?? text.length)
}
