import type { Reading } from '../../../model/observation.ts'
import { TemplateError } from '../../../templates/errors.ts'
import { compareStrings } from '../../../templates/govalue/index.ts'

/** One thing in a source directory; its path is relative to the directory, with slashes. */
export interface SourceEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink' | 'other'
}

/** A directory of templates. */
export interface ScaffoldSource {
  /** Where it is, for messages. */
  readonly directory: string
  readonly entries: readonly SourceEntry[]
  /** The bytes of one of its files, or of what a link in it leads to where that is allowed. */
  readonly read: (path: string) => Reading<Uint8Array>
}

/** The name of what templates can render but what is not rendered by itself. */
const PARTIALS = '_partials'

/**
 * What is rendered, in the order of Go's WalkDir: directories before their entries, names by their bytes. An entry named
 * `_partials` is left out with all below it; where it is no directory, the rest of its directory is left out too. Throws
 * `TemplateError` for anything but files and directories, and for names that could lead out of the directory.
 */
export function renderedEntries(entries: readonly SourceEntry[]): readonly SourceEntry[] {
  const sorted = entries.map((entry) => ({ entry, key: walkKey(entry.path) })).toSorted(byKey)
  const kept: SourceEntry[] = []
  let skipped: string | undefined
  for (const { entry } of sorted) {
    refuseEscapes(entry.path)
    if (skipped !== undefined && entry.path.startsWith(skipped)) continue
    const name = entry.path.slice(entry.path.lastIndexOf('/') + 1)
    if (name === PARTIALS) {
      skipped = entry.kind === 'directory' ? `${entry.path}/` : entry.path.slice(0, -name.length)
      continue
    }
    if (entry.kind !== 'file' && entry.kind !== 'directory') {
      throw new TemplateError(`invalid file in source: ${entry.path} is no regular file`)
    }
    kept.push(entry)
  }
  return kept
}

/** A slash sorts before every character that a name can hold. */
function walkKey(path: string): string {
  return path.replaceAll('/', '\0')
}

function byKey(left: { readonly key: string }, right: { readonly key: string }): number {
  return compareStrings(left.key, right.key)
}

function refuseEscapes(path: string): void {
  const parts = path.split('/')
  if (path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new TemplateError(`invalid file name ${path}`)
  }
}
