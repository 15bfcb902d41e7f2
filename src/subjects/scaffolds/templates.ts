import { hash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Obstacle } from '../../model/decision.ts'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import type { ResourceContext, TemplateView } from '../../resource-type/define.ts'
import type { Exhibit, PolicyFiles, TreeEntry } from '../../host/target.ts'
import { missingValueIn, TemplateError } from '../../templates/errors.ts'
import { fromPlain, type GoValue } from '../../templates/govalue/index.ts'
import type { RenderedTree, ScaffoldSource, SourceEntry } from './template/index.ts'
import { hasPost } from './post.ts'
import type { RenderedFile, ScaffoldDesired } from './state.ts'

export interface OpenSource {
  readonly templates: ScaffoldSource
  /** Exhibit of rendered content, based on all files read so far. */
  readonly exhibit: (rendered: Uint8Array) => Exhibit
}

type SourceReading =
  Reading<OpenSource> | { readonly kind: 'unusable'; readonly obstacle: Obstacle & { readonly fatal: 'invalid' } }

const URL_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const ARCHIVE = /\.(?:tar\.gz|tgz|tar|zip)$/i

// The engines accept no larger files.
const MAX_FILE_BYTES = 16 * 1024 * 1024
const FIRST_READ_BYTES = 1024 * 1024

/**
 * Finds and lists the templates of a scaffold. A path is relative to the policy directory; a source that must be fetched or
 * unpacked goes through `fetchDirectory` of the context.
 */
export async function openSource(
  target: PolicyFiles,
  source: string,
  context: ResourceContext,
): Promise<SourceReading> {
  if (URL_SCHEME.test(source)) return openFetched(target, source, context)
  const path = resolve(context.workingDirectory, source)
  const seen = target.stat(path)
  if (seen.kind === 'unknown') return { ...seen, detail: `source ${seen.detail}` }
  if (seen.kind === 'absent') return unusableSource({ reason: `source ${path} does not exist`, missing: path })
  if (seen.state.kind === 'directory') return openDirectory(target, path)
  if (seen.state.kind === 'file' && ARCHIVE.test(path)) return openFetched(target, path, context)
  return unusableSource({ reason: `source ${path} is not a directory` })
}

async function openFetched(
  target: PolicyFiles,
  source: string,
  { fetchDirectory }: ResourceContext,
): Promise<SourceReading> {
  if (fetchDirectory === undefined) {
    const reason = `cannot fetch or unpack the source ${withoutCredentials(source)} here: use a local directory`
    return unknown('not-observable', reason)
  }
  const directory = await fetchDirectory(source)
  return directory.kind === 'unknown' ? directory : openDirectory(target, directory.value)
}

/** URL without user name and password, which must not appear in messages. */
function withoutCredentials(source: string): string {
  return source.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}

function openDirectory(target: PolicyFiles, path: string): Reading<OpenSource> {
  const tree = target.listTree(path)
  if (tree.kind === 'unknown') return { ...tree, detail: `source ${tree.detail}` }
  const links = new Set(tree.value.filter(({ kind }) => kind === 'symlink').map((entry) => entry.path))
  const place = { target, directory: path }
  let judgement: Exhibit = { kind: 'shown', bytes: new Uint8Array() }
  const judge = (file: string): void => {
    const seen = target.readExhibit(join(path, file), 0)
    if (seen.kind === 'unknown' || judgement.kind === 'withheld') return
    if (seen.value.kind === 'withheld' || seen.value.privateBy === 'file') judgement = seen.value
  }
  return known({
    templates: {
      directory: path,
      entries: tree.value.map(toSourceEntry),
      read(file) {
        judge(file)
        return links.has(file) ? readLinked(place, file) : readFile(place, join(path, file))
      },
    },
    exhibit: (bytes) => (judgement.kind === 'withheld' ? judgement : { ...judgement, bytes }),
  })
}

interface Place {
  readonly target: PolicyFiles
  readonly directory: string
}

function toSourceEntry({ path, kind }: TreeEntry): SourceEntry {
  return { path, kind: kind === 'file' || kind === 'directory' || kind === 'symlink' ? kind : 'other' }
}

/** A link may only point to a file of the same source. */
function readLinked({ target, directory }: Place, file: string): Reading<Uint8Array> {
  const path = join(directory, file)
  const root = target.realPath(directory)
  const real = target.realPath(path)
  if (root.kind === 'unknown') return root
  if (real.kind === 'unknown') return real
  if (real.value === null) return unknown('invalid', `source ${path} is a dangling symbolic link`)
  if (root.value === null || !real.value.startsWith(`${root.value}/`)) {
    return unknown('invalid', `source ${path} is a symbolic link to a path outside ${directory}`)
  }
  return readFile({ target, directory }, real.value)
}

function readFile({ target }: Place, path: string): Reading<Uint8Array> {
  const head = target.readHead(path, FIRST_READ_BYTES)
  const bytes =
    head.kind === 'known' && head.value.length === FIRST_READ_BYTES ? target.readHead(path, MAX_FILE_BYTES + 1) : head
  if (bytes.kind === 'unknown') return { ...bytes, detail: `source ${bytes.detail}` }
  if (bytes.value.length <= MAX_FILE_BYTES) return bytes
  return unknown('invalid', `source ${path} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`)
}

function unusableSource(obstacle: Obstacle): Extract<SourceReading, { kind: 'unusable' }> {
  return { kind: 'unusable', obstacle: { ...obstacle, fatal: 'invalid' } }
}

const DEFAULT_DELIMITERS = { go: ['{{', '}}'], jet: ['[[', ']]'] } as const

/** Rendered tree with the digests of its files, sorted by path. */
export interface Rendered {
  readonly files: readonly RenderedFile[]
  readonly directories: readonly string[]
}

/** Renders the templates of a scaffold in memory. A template error becomes an `unknown` with the file name. */
export async function renderTree(
  source: ScaffoldSource,
  desired: ScaffoldDesired,
  context: ResourceContext,
): Promise<Reading<Rendered>> {
  const { renderScaffold, SourceError } = await import('./template/index.ts')
  const { name, engine, left_delimiter: left = '', right_delimiter: right = '', skip_empty: skipEmpty } = desired
  try {
    const { variables, functions } = viewOf(desired, context)
    const tree = await renderScaffold(source, {
      engine,
      delimiters: left === '' ? DEFAULT_DELIMITERS[engine] : [left, right],
      skipEmpty,
      target: name,
      context: new Map(variables),
      variables,
      functions,
      nil: 'refuse',
      signal: context.signal,
    })
    return known(describeTree(tree, desired))
  } catch (error) {
    if (error instanceof TemplateError) return templateFailure(error)
    if (error instanceof SourceError) return error.reading
    throw error
  }
}

/** An unreadable value is no error of the template. */
function templateFailure(error: TemplateError): Unknown {
  const reason = missingValueIn(error)?.certainty === 'unknown' ? 'not-observable' : 'template'
  return unknown(reason, error.hint === undefined ? error.message : `${error.message}, ${error.hint}`)
}

/** Template data. The data of the resource, if any, replaces the data of the policy. */
function viewOf({ data = {} }: ScaffoldDesired, { templates }: ResourceContext): TemplateView {
  const entries = Object.entries(data).map(([key, value]): [GoValue, GoValue] => [key, fromPlain(value)])
  const own = entries.length === 0 ? undefined : new Map(entries)
  if (templates !== undefined) return templates(own)
  const nothing = new Map<GoValue, GoValue>()
  const variables = new Map<string, GoValue>()
  for (const [names, values] of [
    [['facts', 'Facts'], nothing],
    [['data', 'Data'], own ?? nothing],
    [['environ', 'Environ'], nothing],
  ] as const) {
    for (const variable of names) variables.set(variable, values)
  }
  return { variables, functions: new Map() }
}

function describeTree({ files, directories }: RenderedTree, desired: ScaffoldDesired): Rendered {
  return {
    files: [...files].map(([path, bytes]) => ({
      path,
      bytes,
      digest: { sha256: hash('sha256', bytes, 'hex'), sizeBytes: bytes.length },
      hasPost: hasPost(desired, path),
    })),
    directories,
  }
}
