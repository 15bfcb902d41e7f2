import { join, resolve } from 'node:path'
import type { Obstacle } from '../../core/decision.ts'
import { known, type Reading, unknown } from '../../core/observation.ts'
import type { Exhibit, Target, TreeEntry } from '../../target/target.ts'
import type { ScaffoldSource, SourceEntry } from '../../template/scaffold/index.ts'
import type { ResourceContext } from '../../resource-type/define.ts'

/** A directory of templates. */
export interface OpenSource {
  readonly templates: ScaffoldSource
  /** What was rendered from it, for showing: judged by all that was read of it so far. */
  readonly exhibit: (rendered: Uint8Array) => Exhibit
}

/** A directory of templates, or why there is none. */
export type SourceReading =
  Reading<OpenSource> | { readonly kind: 'unusable'; readonly obstacle: Obstacle & { readonly fatal: 'invalid' } }

const URL_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const ARCHIVE = /\.(?:tar\.gz|tgz|tar|zip)$/i

// Reading more than this of one file would be more than the engines take.
const MAX_FILE_BYTES = 16 * 1024 * 1024
const FIRST_READ_BYTES = 1024 * 1024

/**
 * Finds the templates of a scaffold and lists them. A path is relative to the directory of the policy; what has to be
 * fetched or unpacked first goes through `fetchDirectory` of the context.
 */
export async function openSource(target: Target, source: string, context: ResourceContext): Promise<SourceReading> {
  if (URL_SCHEME.test(source)) return openFetched(target, source, context)
  const path = resolve(context.workingDirectory, source)
  const seen = target.stat(path)
  if (seen.kind === 'unknown') return { ...seen, detail: `source ${seen.detail}` }
  if (seen.kind === 'absent') return unusable({ reason: `source ${path} does not exist`, missing: path })
  if (seen.state.kind === 'directory') return openDirectory(target, path)
  if (seen.state.kind === 'file' && ARCHIVE.test(path)) return openFetched(target, path, context)
  return unusable({ reason: `source ${path} is not a directory` })
}

async function openFetched(
  target: Target,
  source: string,
  { fetchDirectory }: ResourceContext,
): Promise<SourceReading> {
  if (fetchDirectory === undefined) {
    const reason = `source ${withoutCredentials(source)} cannot be fetched or unpacked here; name a local directory`
    return unknown('not-observable', reason)
  }
  const directory = await fetchDirectory(source)
  return directory.kind === 'unknown' ? directory : openDirectory(target, directory.value)
}

/** The URL without user name and password, which no message may show. */
function withoutCredentials(source: string): string {
  return source.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}

function openDirectory(target: Target, path: string): Reading<OpenSource> {
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
  readonly target: Target
  readonly directory: string
}

function toSourceEntry({ path, kind }: TreeEntry): SourceEntry {
  return { path, kind: kind === 'file' || kind === 'directory' || kind === 'symlink' ? kind : 'other' }
}

/** A link may only lead to a file of the same source. */
function readLinked({ target, directory }: Place, file: string): Reading<Uint8Array> {
  const path = join(directory, file)
  const root = target.realPath(directory)
  const real = target.realPath(path)
  if (root.kind === 'unknown') return root
  if (real.kind === 'unknown') return real
  if (real.value === null) return unknown('invalid', `source ${path} is a symbolic link that leads nowhere`)
  if (root.value === null || !real.value.startsWith(`${root.value}/`)) {
    return unknown('invalid', `source ${path} is a symbolic link that leads out of ${directory}`)
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

function unusable(obstacle: Obstacle): Extract<SourceReading, { kind: 'unusable' }> {
  return { kind: 'unusable', obstacle: { ...obstacle, fatal: 'invalid' } }
}
