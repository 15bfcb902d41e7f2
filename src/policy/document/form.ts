import type { Problem, Result } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { errorAt, sourceText, type SourceText } from './lines.ts'
import type { DocumentName } from './parse-yaml.ts'
import { readDocument } from './read-document.ts'
import { entriesOf, textOf, type TreeMember, type TreeNode } from './tree.ts'

/** A document with the problems found so far. */
export interface Reading {
  readonly source: SourceText
  readonly problems: Problem[]
}

/**
 * Reads a YAML or JSON document of the operator with `build`. Collects all problems with their positions; `build`
 * continues after each.
 */
export function readForm<T>(
  { file, text, what }: { readonly file: string; readonly text: string; readonly what: DocumentName },
  build: (root: TreeNode, reading: Reading) => T,
): Result<T> {
  const source = sourceText(file, text)
  const read = readDocument(source, what)
  if (!('root' in read)) return { ok: false, problems: read.problems }
  const reading: Reading = { source, problems: [...read.problems] }
  const value = build(read.root, reading)
  return reading.problems.length === 0 ? { ok: true, value, warnings: [] } : { ok: false, problems: reading.problems }
}

/** Adds a problem with a value. */
export function addProblem({ source, problems }: Reading, { offset }: Pick<TreeNode, 'offset'>, message: string): void {
  problems.push(errorAt(source, offset, message))
}

/** Adds a problem for every unknown key; keys with the prefix `x-` are free. */
export function checkKeys(node: TreeNode, known: readonly string[], reading: Reading): void {
  for (const [key, { keyOffset }] of entriesOf(node)) {
    if (known.includes(key) || key.startsWith('x-')) continue
    addProblem(reading, { offset: keyOffset }, `unknown key "${key}"${didYouMean(key, known)}`)
  }
}

/** Texts by name; empty if the member is missing. */
export function labelsOf(member: TreeMember | undefined, reading: Reading): Readonly<Record<string, string>> {
  if (member !== undefined && member.value.kind !== 'map')
    addProblem(reading, member.value, 'labels must be a map of texts')
  const labels: [string, string][] = []
  for (const [key, { value }] of entriesOf(member?.value)) {
    const text = textOf(value)
    if (text === undefined) addProblem(reading, value, `label ${key} must be a string`)
    else labels.push([key, text])
  }
  return Object.fromEntries(labels)
}
