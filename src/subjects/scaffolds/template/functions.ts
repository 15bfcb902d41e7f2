import { posix } from 'node:path'
import { BudgetError, TemplateError } from '../../../templates/errors.ts'
import { type GoFunction, type GoValue, toWellFormed } from '../../../templates/govalue/index.ts'
import type { EngineName } from './engine.ts'
import type { ScaffoldSource } from './source.ts'

/** Template that is skipped because it rendered only white space. */
export class SkippedError extends TemplateError {
  constructor() {
    super('skipped rendering')
    this.name = 'SkippedError'
  }
}

/** Whether an error was caused by a skipped template: text/template wraps it in its own. */
export function isSkipped(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof SkippedError) return true
  return false
}

export interface FunctionSurroundings {
  readonly engine: EngineName
  readonly source: ScaffoldSource
  readonly target: string
  readonly write: (path: string, content: string) => void
  readonly render: (path: string, dot: GoValue) => string
}

/**
 * `write OUT CONTENT` adds a file to the rendered tree and prints nothing; `render PATH DOT` returns another rendered template.
 * Neither accepts paths outside its directory.
 */
export function scaffoldFunctions(surroundings: FunctionSurroundings): ReadonlyMap<string, GoFunction> {
  const write = (args: readonly GoValue[]): GoValue => writeFile(surroundings, args)
  const render = (args: readonly GoValue[]): GoValue => renderFile(surroundings, args)
  return new Map([
    ['write', createFunction('write', surroundings.engine, write)],
    ['render', createFunction('render', surroundings.engine, render)],
  ])
}

function createFunction(name: string, engine: EngineName, call: GoFunction['call']): GoFunction {
  if (engine === 'go') return { kind: 'function', name, call }
  return { kind: 'function', name, call: (args) => namingFunction(name, () => call(args)) }
}

/** Adds the function name, which Jet omits; in Jet a skipped template is an ordinary failure. */
function namingFunction(name: string, work: () => GoValue): GoValue {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TemplateError) || error instanceof BudgetError) throw error
    const cause = error instanceof SkippedError ? undefined : error
    throw new TemplateError(`${name}: ${error.message}`, undefined, { cause, hint: error.hint })
  }
}

function writeFile({ target, write }: FunctionSurroundings, args: readonly GoValue[]): string {
  const [out, content] = args
  if (args.length !== 2 || typeof out !== 'string' || typeof content !== 'string') {
    throw new TemplateError('requires 2 string arguments: file and content')
  }
  const path = posix.join(target, out)
  if (path === target || path === `${target}/`) throw new TemplateError(`open ${target}: is a directory`)
  const relative = relativePath(target, path)
  if (relative === undefined) throw new TemplateError(`${path} is not in target directory ${target}`)
  // A file name on disk cannot contain half a surrogate pair.
  const isName = !relative.includes('\0') && !relative.endsWith('/') && toWellFormed(relative) === relative
  if (!isName) throw new TemplateError(`invalid file name ${out}`)
  write(relative, content)
  return ''
}

function renderFile({ source, render }: FunctionSurroundings, args: readonly GoValue[]): string {
  const [path, dot] = args
  if (args.length !== 2 || typeof path !== 'string' || dot === undefined) {
    throw new TemplateError('requires 2 arguments: file and data')
  }
  const { directory } = source
  const relative = relativePath(directory, posix.join(directory, path))
  if (relative === undefined) throw new TemplateError(`${path} is not in source directory ${directory}`)
  return render(relative, dot)
}

/** Path relative to the directory; undefined if outside. */
function relativePath(directory: string, path: string): string | undefined {
  const prefix = directory.endsWith('/') ? directory : `${directory}/`
  return path.startsWith(prefix) && path.length > prefix.length ? path.slice(prefix.length) : undefined
}
