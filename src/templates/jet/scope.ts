import type { BlockStatement, JetTemplate, Origin } from './ast.ts'
import type { JetValue } from './values.ts'

/** A block together with the template it was written in. */
export interface LinkedBlock {
  readonly block: BlockStatement
  readonly origin: Origin
}

/** A template whose `extends` and `import` have been followed. */
export interface LinkedTemplate {
  /** The template whose body is rendered: the last one of the `extends` chain. */
  readonly root: JetTemplate
  readonly blocks: ReadonlyMap<string, LinkedBlock>
}

/** Variables and blocks of one construct; what is not found here is looked up in the parent. */
export interface Scope {
  readonly parent: Scope | undefined
  readonly variables: Map<string, JetValue>
  readonly blocks: ReadonlyMap<string, LinkedBlock>
}

/** Creates a scope inside another, which lends it its blocks. */
export function childScope(parent: Scope, blocks: ReadonlyMap<string, LinkedBlock> = parent.blocks): Scope {
  return { parent, variables: new Map(), blocks }
}

/** The innermost scope that has the variable. */
export function scopeOf(scope: Scope, name: string): Scope | undefined {
  let current: Scope | undefined = scope
  while (current !== undefined && !current.variables.has(name)) current = current.parent
  return current
}

/** The block of this name that is nearest. */
export function findBlock(scope: Scope, name: string): LinkedBlock | undefined {
  let current: Scope | undefined = scope
  while (current !== undefined) {
    const found = current.blocks.get(name)
    if (found !== undefined) return found
    current = current.parent
  }
  return undefined
}
