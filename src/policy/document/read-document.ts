import type { Problem } from '../../model/problem.ts'
import type { SourceText } from './lines.ts'
import { type BrokenYaml, type DocumentName, parseYaml } from './parse-yaml.ts'
import { readBlockYaml } from './read-block-yaml.ts'
import { readJson } from './read-json.ts'
import { buildTree } from './build-tree.ts'
import type { TreeNode } from './tree.ts'

/** The tree of a text, and problems with its keys and aliases. */
export interface ReadDocument {
  readonly root: TreeNode
  readonly problems: readonly Problem[]
  /** The targets of aliases; undefined if there are no aliases. */
  readonly aliased?: ReadonlySet<TreeNode>
}

/** Reads one YAML 1.2 (or JSON) document; `what` names it in problems. */
export function readDocument(source: SourceText, what: DocumentName = 'policy'): ReadDocument | BrokenYaml {
  const root = readFast(source.text)
  return root === undefined ? readSlowly(source, what) : { root, problems: [] }
}

/** Reads a map or list in the common syntax; undefined if that requires the full parser. */
export function readFast(text: string): TreeNode | undefined {
  const root = /^\s*[[{]/.test(text) ? readJson(text) : readBlockYaml(text)
  return root?.kind === 'scalar' ? undefined : root
}

/** Reads with the full YAML parser. */
export function readSlowly(source: SourceText, what: DocumentName): ReadDocument | BrokenYaml {
  const parsed = parseYaml(source, what)
  if ('problems' in parsed) return parsed
  const { aliased, ...built } = buildTree(source, parsed)
  return aliased.size === 0 ? built : { ...built, aliased }
}

/** Whether a text contains only white space and comments. */
export function saysNothing(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line))
}
