import { setImmediate } from 'node:timers/promises'
import type { Unknown } from '../../../model/observation.ts'
import { BudgetError, TemplateError } from '../../../templates/errors.ts'
import { Budget, type BudgetLimits, type GoFunction, type GoValue } from '../../../templates/govalue/index.ts'
import { type CompiledTemplate, type Delimiters, type EngineName, loadEngine } from './engine.ts'
import { isSkipped, scaffoldFunctions, SkippedError } from './functions.ts'
import { type RenderedTree, TreeBuilder } from './rendered-tree.ts'
import { renderedEntries, type ScaffoldSource } from './source.ts'

export type { RenderedTree } from './rendered-tree.ts'
export type { ScaffoldSource, SourceEntry } from './source.ts'

export interface ScaffoldOptions {
  readonly engine: EngineName
  /** Opening and closing delimiter; default `{{` and `}}`. */
  readonly delimiters?: Delimiters | undefined
  /** Skips files that contain only white space. */
  readonly skipEmpty: boolean
  /** Target directory, for messages. */
  readonly target: string
  /** The dot of every template. */
  readonly context: GoValue
  readonly variables: ReadonlyMap<string, GoValue>
  /** Functions of the host; `write` and `render` of the scaffold take precedence. */
  readonly functions: ReadonlyMap<string, GoFunction>
  /** Whether nil is printed, as in the Go languages (default), or is an error. */
  readonly nil?: 'print' | 'refuse'
  /** Aborts rendering by throwing its reason. */
  readonly signal: AbortSignal
}

export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly reading: Unknown

  constructor(reading: Unknown) {
    super(reading.detail)
    this.reading = reading
  }
}

// A file has many more nodes than an expression, and a scaffold may contain binary files.
const FILE_LIMITS: Partial<BudgetLimits> = { nodes: 200_000, sourceLength: 16 * 1024 * 1024 }

/** Maximum time before the event loop runs, in milliseconds. */
const LONGEST_STRETCH_MS = 50

/**
 * Renders a directory of templates in memory, as choria-io/scaffold does on disk: every file is a template, names are literal,
 * `_partials` are only for `render`, and only regular files and directories are allowed. Throws a `TemplateError` with the file
 * name for the first template that fails, and a `SourceError` for an unreadable one.
 * @see https://github.com/choria-io/scaffold
 */
export async function renderScaffold(source: ScaffoldSource, options: ScaffoldOptions): Promise<RenderedTree> {
  const entries = renderedEntries(source.entries)
  const tree = new TreeBuilder(options.target)
  const render = await prepareRendering(source, tree, options)
  let stretchStart = performance.now()
  for (const { path, kind } of entries) {
    if (performance.now() - stretchStart > LONGEST_STRETCH_MS) {
      await setImmediate()
      stretchStart = performance.now()
    }
    options.signal.throwIfAborted()
    if (kind === 'directory') tree.addDirectory(path)
    else render(path)
  }
  return tree.finish()
}

/** Loads the engine and returns a function that renders one source file into the tree. */
async function prepareRendering(
  source: ScaffoldSource,
  tree: TreeBuilder,
  options: ScaffoldOptions,
): Promise<(path: string) => void> {
  const kinds = new Map(source.entries.map(({ path, kind }) => [path, kind]))
  const partials = new Map<string, CompiledTemplate>()
  // Nested templates share the budget of the file that renders them; files are rendered one at a time.
  let budget = new Budget(FILE_LIMITS)

  function compileFile(path: string): CompiledTemplate {
    const bytes = source.read(path)
    if (bytes.kind === 'unknown') throw new SourceError(bytes)
    try {
      return compile(path, decodeSource(bytes.value), budget)
    } catch (error) {
      throw explainError(error, `parsing template ${path} failed: `)
    }
  }

  function compilePartial(path: string): CompiledTemplate {
    const kind = kinds.get(path)
    if (kind === undefined) throw new TemplateError(`open ${source.directory}/${path}: no such file or directory`)
    if (kind === 'directory') throw new TemplateError(`read ${source.directory}/${path}: is a directory`)
    if (kind === 'other') throw new TemplateError(`invalid file in source: ${path} is not a regular file`)
    const template = compileFile(path)
    partials.set(path, template)
    return template
  }

  function renderText(template: CompiledTemplate, dot: GoValue): string {
    const text = template(dot, budget)
    if (options.skipEmpty && BLANK.test(text)) throw new SkippedError()
    return text
  }

  const functions = scaffoldFunctions({
    engine: options.engine,
    source,
    target: options.target,
    write: (path, content) => tree.addFile(path, encodeRendered(content)),
    render: (path, dot) => budget.nested(() => renderText(partials.get(path) ?? compilePartial(path), dot)),
  })
  const compile = await loadEngine(options.engine, {
    delimiters: options.delimiters ?? ['{{', '}}'],
    variables: options.variables,
    nil: options.nil ?? 'print',
    functions: new Map([...options.functions, ...functions]),
  })
  return (path) => {
    budget = new Budget(FILE_LIMITS)
    const template = compileFile(path)
    try {
      tree.addFile(path, encodeRendered(renderText(template, options.context)))
    } catch (error) {
      if (!isSkipped(error)) throw explainError(error, namesFile(error, path) ? '' : `${path}: `)
    }
  }
}

/** Whether the message of an engine already says which file it is about. */
function namesFile(error: unknown, path: string): boolean {
  return error instanceof Error && (error.message.includes(`${path}:`) || error.message.includes(`${path}"`))
}

function explainError(error: unknown, prefix: string): unknown {
  if (!(error instanceof TemplateError) || prefix === '') return error
  const options = { cause: error, hint: error.hint }
  const message = prefix + error.message
  return error instanceof BudgetError
    ? new BudgetError(message, error.offset, options)
    : new TemplateError(message, error.offset, options)
}

// Invalid UTF-8 bytes become the lone surrogates U+DC80 to U+DCFF, which valid UTF-8 cannot contain, so they are encoded back
// unchanged. Python's `surrogateescape` does the same. @see https://peps.python.org/pep-0383/
const ESCAPE_BASE = 0xdc00

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// Well-formed UTF-8, one character per byte. @see RFC 3629, section 4
const WELL_FORMED_OR_BYTE =
  // oxlint-disable-next-line no-control-regex -- the ASCII range is what is meant
  /((?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+)|[\x80-\xff]/g

const ESCAPED_BYTE = /([\udc80-\udcff])/u

// White space by Go's unicode.IsSpace. @see https://pkg.go.dev/unicode#IsSpace
const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/

/** Decodes a template file. Any bytes are allowed; `encodeRendered` restores them. */
function decodeSource(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return decodeEscaping(Buffer.from(bytes).toString('latin1'))
  }
}

function decodeEscaping(latin1: string): string {
  return latin1.replace(WELL_FORMED_OR_BYTE, (match, wellFormed: string | undefined) =>
    wellFormed === undefined
      ? String.fromCharCode(ESCAPE_BASE + match.charCodeAt(0))
      : Buffer.from(wellFormed, 'latin1').toString('utf8'),
  )
}

/** Encodes rendered text, restoring invalid UTF-8 bytes. */
function encodeRendered(text: string): Uint8Array {
  if (!ESCAPED_BYTE.test(text)) return Buffer.from(text)
  const parts = text.split(ESCAPED_BYTE)
  // Splitting puts the escaped bytes at odd indexes.
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 1 ? Buffer.from([part.charCodeAt(0) - ESCAPE_BASE]) : Buffer.from(part))),
  )
}
