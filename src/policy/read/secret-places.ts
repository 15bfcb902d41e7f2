import type { Problem } from '../../model/problem.ts'
import type { Annotation } from '../data/annotations.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { positionAt, type SourceText } from '../document/lines.ts'
import { entriesOf, member, type TreeMember, type TreeNode } from '../document/tree.ts'

/** Marks the value of a key as secret: problems show neither its lines nor its templates. */
export function markSecret(source: SourceText, { keyOffset, value }: TreeMember): void {
  hideLines(source, keyOffset)
  markNode(source, value)
}

/** Marks data annotated with `@sensitive`, in the base and in every override. */
export function markSensitiveData(source: SourceText, root: TreeNode, annotations: readonly Annotation[]): void {
  const holders = [member(root, 'data'), ...[...entriesOf(member(root, 'overrides'))].map(([, { value }]) => value)]
  for (const { directive, path } of annotations) {
    if (directive !== 'sensitive') continue
    for (const holder of holders) {
      const parent = path.slice(0, -1).reduce<TreeNode | undefined>((node, key) => member(node, key), holder)
      const entry = entriesOf(parent).get(path.at(-1) ?? '')
      if (entry !== undefined) markSecret(source, entry)
    }
  }
}

/** Problems found before the secrets of a text are known; if the text mentions secrets, source lines and quotes are removed. */
export function withoutQuotes(
  { text }: SourceText,
  problems: readonly Problem[],
  types: readonly ResourceType[],
): readonly Problem[] {
  const words = ['sensitive', ...types.flatMap(({ secretProperties }) => secretProperties)]
  const says = new RegExp(String.raw`\b(?:${words.join('|')})\b`)
  return problems.length === 0 || !says.test(text) ? problems : problems.map(withoutQuote)
}

/** A problem without any quote of the text. */
export function withoutQuote({ sourceLine: _secret, message, ...problem }: Problem): Problem {
  return { ...problem, message: message.replace(/: ".*"$/s, '') }
}

function markNode(source: SourceText, node: TreeNode): void {
  source.secrets.nodes.add(node)
  hideLines(source, node.offset)
  if (node.kind === 'list') for (const item of node.items) markNode(source, item)
  if (node.kind === 'map') for (const entry of node.entries.values()) markSecret(source, entry)
}

/** Hides the lines of a text: until a line is not indented deeper than the first one, or until its quotes end. */
export function hideLines(source: SourceText, offset: number): void {
  const { lines } = source.secrets
  const { line } = positionAt(source, offset)
  const endOfQuotes = positionAt(source, endOfQuoted(source.text, offset)).line
  const indent = indentOf(source, line) ?? 0
  for (let number = line; number <= source.lineStarts.length; number++) {
    const own = indentOf(source, number)
    const goesOn = number <= endOfQuotes || own === undefined || own > indent
    if (number > line && !goesOn) return
    lines.add(number)
  }
}

/** The end of a quoted text; for other text, its start. In single quotes, a doubled quote is an escape. */
function endOfQuoted(text: string, offset: number): number {
  const quote = text.charAt(offset)
  if (quote !== '"' && quote !== "'") return offset
  for (let at = offset + 1; at < text.length; at++) {
    const sign = text.charAt(at)
    const isEscaped = quote === '"' ? sign === '\\' : sign === quote && text.charAt(at + 1) === quote
    if (isEscaped) at++
    else if (sign === quote) return at
  }
  return offset
}

/** Indentation of a line; undefined if it is empty. */
function indentOf({ text, lineStarts }: SourceText, line: number): number | undefined {
  const written = text.slice(lineStarts[line - 1] ?? text.length, lineStarts[line] ?? text.length)
  const indent = written.search(/\S/)
  return indent < 0 ? undefined : indent
}
