import type { Problem } from '../../model/problem.ts'
import type { SourceText } from './lines.ts'
import { type BrokenYaml, type DocumentName, parseYaml } from './parse-yaml.ts'
import { readBlockYaml } from './read-block-yaml.ts'
import { readJson } from './read-json.ts'
import { buildTree } from './build-tree.ts'
import type { TreeNode } from './tree.ts'

/** The values of a text with where they stand, and what is wrong with keys and aliases in it. */
export interface ReadDocument {
  readonly root: TreeNode
  readonly problems: readonly Problem[]
  /** The nodes that aliases stand for; absent if missing. */
  readonly aliased?: ReadonlySet<TreeNode>
}

/** Reads one YAML 1.2 (or JSON) document, which problems call by what it is. */
export function readDocument(source: SourceText, what: DocumentName = 'policy'): ReadDocument | BrokenYaml {
  const root = readFast(source.text)
  return root === undefined ? readSlowly(source, what) : { root, problems: [] }
}

/** A map or list that is written as most are; undefined where that cannot be told without reading all of YAML. */
export function readFast(text: string): TreeNode | undefined {
  const root = /^\s*[[{]/.test(text) ? readJson(text) : readBlockYaml(text)
  return root?.kind === 'scalar' ? undefined : root
}

/** As `readDocument`, by the parser that knows all of YAML. */
export function readSlowly(source: SourceText, what: DocumentName): ReadDocument | BrokenYaml {
  const parsed = parseYaml(source, what)
  if ('problems' in parsed) return parsed
  const { aliased, ...built } = buildTree(source, parsed)
  return aliased.size === 0 ? built : { ...built, aliased }
}

/** Whether a text holds nothing but white space and comments. */
export function saysNothing(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line))
}
