import type { Problem } from '../core/problem.ts'
import type { SourceText } from './lines.ts'
import { type BrokenYaml, type DocumentName, parseYaml } from './parse-yaml.ts'
import { buildTree, type TreeNode } from './tree.ts'

/** The values of a text with where they stand, and what is wrong with keys and aliases in it. */
export interface ReadDocument {
  readonly root: TreeNode
  readonly problems: readonly Problem[]
}

/** Reads one YAML 1.2 (or JSON) document, which problems call by what it is. */
export function readDocument(source: SourceText, what: DocumentName = 'policy'): ReadDocument | BrokenYaml {
  const parsed = parseYaml(source, what)
  if ('problems' in parsed) return parsed
  const [root, problems] = buildTree(source, parsed)
  return { root, problems }
}

/** Whether a text holds nothing but white space and comments. */
export function saysNothing(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line))
}
