import { checkPattern, matchesPattern } from '../../../templates/expr/regex.ts'
import { TemplateError } from '../../../templates/errors.ts'
import { Budget, type GoFunction, type GoValue } from '../../../templates/govalue/index.ts'
import type { Problem } from '../../../model/problem.ts'
import { errorAt, type SourceText, sourceText } from '../../../policy/document/lines.ts'

export interface GossWorld {
  readonly vars: ReadonlyMap<GoValue, GoValue>
  readonly environ: ReadonlyMap<string, string>
  /** Why templates must not read environment variables, if so. */
  readonly environRefusal?: string
  /** Reads a text file, relative to the document. Throws an `Error` with the reason on failure. */
  readonly readFile: (path: string) => string
}

/**
 * Renders the templates of a document, as Goss does first (Go's text/template; a missing key is an error). Positions in
 * the result refer to its own lines.
 */
export async function renderGoss(source: SourceText, world: GossWorld): Promise<SourceText | Problem> {
  const { file, text } = source
  if (!text.includes('{{')) return source
  const { parseGoTemplate, renderGoTemplate } = await import('../../../templates/gotemplate/index.ts')
  const { compileRegex } = await import('../../../templates/gotemplate/sprig/regex-engine.ts')
  const find: FindGroups = (pattern, subject) => {
    const { names, find: search } = compileRegex(pattern, new Budget())
    const match = search(subject, 0) ?? []
    const groups = Array.from({ length: match.length / 2 }, (_, at) => subject.slice(match[2 * at], match[2 * at + 1]))
    return { groups, names }
  }
  try {
    const template = parseGoTemplate(text, { name: file, functions: functionsOf(world, find) })
    const rendered = renderGoTemplate(template, dataOf(world), { missingKey: 'refuse' })
    return sourceText(`${file} (rendered)`, rendered)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const hint = error.hint === undefined ? '' : `, ${error.hint}`
    return errorAt(source, error.offset ?? 0, error.message.replaceAll(/\s*\n\s*/g, ' ') + hint)
  }
}

function dataOf({ vars, environ, environRefusal }: GossWorld): GoValue {
  const data = new Map<GoValue, GoValue>([['Vars', vars]])
  // Omits forbidden data, so that a template that uses it fails.
  if (environRefusal === undefined) data.set('Env', new Map<GoValue, GoValue>(environ))
  return data
}

type FindGroups = (
  pattern: string,
  subject: string,
) => { readonly groups: readonly string[]; readonly names: ReadonlyMap<string, number> }

/** The functions of Goss besides those of sprig. @see https://github.com/goss-org/goss, template.go */
function functionsOf({ environ, environRefusal, readFile }: GossWorld, find: FindGroups): readonly GoFunction[] {
  const getEnv = (name: string, args: readonly GoValue[]): GoValue => {
    const [key, fallback = ''] = texts(name, args, [1, 2])
    if (environRefusal !== undefined) throw new TemplateError(environRefusal)
    const value = environ.get(key ?? '') ?? ''
    return value === '' ? fallback : value
  }
  return [
    toFunction('mkSlice', (args) => args),
    toFunction('readFile', (args) => {
      const [path = ''] = texts('readFile', args, [1])
      return readFileOf(readFile, path).trim()
    }),
    toFunction('getEnv', (args) => getEnv('getEnv', args)),
    toFunction('env', (args) => getEnv('env', args)),
    toFunction('regexMatch', (args) => {
      const [pattern = '', subject = ''] = texts('regexMatch', args, [2])
      checkPattern(pattern)
      return matchesPattern(pattern, subject)
    }),
    toFunction('toUpper', (args) => (texts('toUpper', args, [1])[0] ?? '').toUpperCase()),
    toFunction('toLower', (args) => (texts('toLower', args, [1])[0] ?? '').toLowerCase()),
    toFunction('findStringSubmatch', (args) => {
      const [pattern = '', subject = ''] = texts('findStringSubmatch', args, [2])
      return submatch(find(pattern, subject))
    }),
  ]
}

function toFunction(name: string, call: GoFunction['call']): GoFunction {
  return { kind: 'function', name, call }
}

function texts(name: string, args: readonly GoValue[], counts: readonly number[]): readonly string[] {
  const all = args.filter((arg) => typeof arg === 'string')
  if (all.length === args.length && counts.includes(args.length)) return all
  throw new TemplateError(`${name} takes ${counts.join(' or ')} text${counts.includes(1) ? '' : 's'}`)
}

function readFileOf(readFile: GossWorld['readFile'], path: string): string {
  try {
    return readFile(path)
  } catch (error) {
    if (error instanceof TemplateError) throw error
    throw new TemplateError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The named groups, or all groups by number without names. */
function submatch({ groups, names }: ReturnType<FindGroups>): GoValue {
  if (groups.length > 0 && names.size > 0) {
    return new Map<GoValue, GoValue>([...names].map(([name, at]) => [name, groups[at] ?? '']))
  }
  return new Map<GoValue, GoValue>(groups.map((group, at) => [String(at), group]))
}
