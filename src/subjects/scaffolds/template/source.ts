import { baseName } from '../../../model/file-name.ts'
import type { Reading } from '../../../model/observation.ts'
import { TemplateError } from '../../../templates/errors.ts'
import { compareStrings } from '../../../templates/govalue/index.ts'

/** Entry of a source directory; its path is relative to the directory, with slashes. */
export interface SourceEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink' | 'other'
}

export interface ScaffoldSource {
  /** Path or URL, for messages. */
  readonly directory: string
  readonly entries: readonly SourceEntry[]
  /** Bytes of a file, or of the target of an allowed link. */
  readonly read: (path: string) => Reading<Uint8Array>
}

/** Name of entries that templates can render but that are not rendered themselves. */
const PARTIALS = '_partials'

/**
 * Entries to render, in the order of Go's WalkDir: directories before their entries, names by bytes. `_partials` and its contents
 * are skipped; if it is not a directory, the rest of its parent is skipped too. Throws a `TemplateError` for anything but files
 * and directories, and for names that could escape the directory.
 */
export function renderedEntries(entries: readonly SourceEntry[]): readonly SourceEntry[] {
  const sorted = entries.map((entry) => ({ entry, key: walkKey(entry.path) })).toSorted(byKey)
  const kept: SourceEntry[] = []
  let skipped: string | undefined
  for (const { entry } of sorted) {
    refuseEscapes(entry.path)
    if (skipped !== undefined && entry.path.startsWith(skipped)) continue
    const name = baseName(entry.path)
    if (name === PARTIALS) {
      skipped = entry.kind === 'directory' ? `${entry.path}/` : entry.path.slice(0, -name.length)
      continue
    }
    if (entry.kind !== 'file' && entry.kind !== 'directory') {
      throw new TemplateError(`invalid file in source: ${entry.path} is not a regular file`)
    }
    kept.push(entry)
  }
  return kept
}

/** A slash sorts before every character of a name. */
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
