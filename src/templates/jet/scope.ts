import type { BlockStatement, JetTemplate, Origin } from './ast.ts'
import type { JetValue } from './values.ts'

export interface LinkedBlock {
  readonly block: BlockStatement
  readonly origin: Origin
}

/** Template with resolved `extends` and `import`. */
export interface LinkedTemplate {
  /** The template to render: the last one of the `extends` chain. */
  readonly root: JetTemplate
  readonly blocks: ReadonlyMap<string, LinkedBlock>
}

/** Variables and blocks of one construct; other names are looked up in the parent. */
export interface Scope {
  readonly parent: Scope | undefined
  readonly variables: Map<string, JetValue>
  readonly blocks: ReadonlyMap<string, LinkedBlock>
}

/** Creates a nested scope, which inherits the blocks of its parent. */
export function childScope(parent: Scope, blocks: ReadonlyMap<string, LinkedBlock> = parent.blocks): Scope {
  return { parent, variables: new Map(), blocks }
}

/** Innermost scope with the variable. */
export function scopeOf(scope: Scope, name: string): Scope | undefined {
  let current: Scope | undefined = scope
  while (current !== undefined && !current.variables.has(name)) current = current.parent
  return current
}

export function findBlock(scope: Scope, name: string): LinkedBlock | undefined {
  let current: Scope | undefined = scope
  while (current !== undefined) {
    const found = current.blocks.get(name)
    if (found !== undefined) return found
    current = current.parent
  }
  return undefined
}
