import { posix } from 'node:path'
import { TemplateError, lineAt } from '../errors.ts'
import type { Budget } from '../govalue/index.ts'
import type { JetSyntax, JetTemplate, TemplateReference } from './ast.ts'
import { isCatchable } from './errors.ts'
import { parseTemplate } from './parser.ts'
import type { LinkedBlock, LinkedTemplate } from './scope.ts'

/** Returns the source of a template by its absolute path (`/a/b.jet`); undefined if missing. */
export type JetLoader = (path: string) => string | undefined

// Extensions tried in this order.
const EXTENSIONS: readonly string[] = ['', '.jet', '.html.jet', '.jet.html']

/** Templates available to a rendering. Parses and links each one once. */
export class TemplateLibrary {
  readonly #load: JetLoader
  readonly #syntax: JetSyntax
  readonly #budget: Budget
  readonly #linked = new Map<string, LinkedTemplate>()
  readonly #inProgress = new Set<string>()

  constructor(load: JetLoader, syntax: JetSyntax, budget: Budget) {
    this.#load = load
    this.#syntax = syntax
    this.#budget = budget
  }

  /** Finds a template by a path relative to another template. Throws a `TemplateError` if it is missing or invalid. */
  get(path: string, sibling: string): LinkedTemplate {
    const found = this.find(path, sibling)
    if (found !== undefined) return found
    throw new TemplateError(`template ${resolvePath(path, sibling)} could not be found`)
  }

  /** Like `get`, but undefined if the template is missing. */
  find(path: string, sibling: string): LinkedTemplate | undefined {
    const base = resolvePath(path, sibling)
    for (const extension of EXTENSIONS) {
      const name = base + extension
      const known = this.#linked.get(name)
      if (known !== undefined) return known
      const source = this.#load(name)
      if (source !== undefined) return this.#add(name, source)
    }
    return undefined
  }

  /** Resolves `extends` and `import`. Blocks of the template override imported ones, which override inherited ones. */
  link(template: JetTemplate): LinkedTemplate {
    const blocks = new Map<string, LinkedBlock>()
    const parent = template.extends === undefined ? undefined : this.#follow(template, template.extends)
    for (const [name, block] of parent?.blocks ?? []) blocks.set(name, block)
    for (const reference of template.imports) {
      for (const [name, block] of this.#follow(template, reference).blocks) blocks.set(name, block)
    }
    for (const [name, block] of template.blocks) blocks.set(name, { block, origin: template.origin })
    return { root: parent?.root ?? template, blocks }
  }

  #add(name: string, source: string): LinkedTemplate {
    if (this.#inProgress.has(name)) throw new TemplateError(`template ${name} extends or imports itself`)
    this.#inProgress.add(name)
    try {
      const template = parseTemplate(source, { name, syntax: this.#syntax, budget: this.#budget })
      const linked = this.#budget.nested(() => this.link(template))
      this.#linked.set(name, linked)
      return linked
    } finally {
      this.#inProgress.delete(name)
    }
  }

  // The offset is that of the reference, so it always lies in the caller's template.
  #follow({ origin }: JetTemplate, { path, offset }: TemplateReference): LinkedTemplate {
    try {
      return this.get(path, origin.name)
    } catch (error) {
      if (!isCatchable(error)) throw error
      const place = `template: ${origin.name}:${lineAt(origin.source, offset)}: `
      const message = error.message.startsWith('template: ') ? error.message : place + error.message
      throw new TemplateError(message, offset, { cause: error })
    }
  }
}

function resolvePath(path: string, sibling: string): string {
  return posix.isAbsolute(path) ? posix.normalize(path) : posix.join('/', posix.dirname(sibling), path)
}
