// Limit of a file name, and of a path with room for the destination below the system limit of 4096.
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 3072
const MAX_DEPTH = 128

// A UTF-8 decoder replaces invalid bytes with this character.
const REPLACEMENT = '\uFFFD'

/** Path of an entry relative to the destination, without `.`; empty for the destination itself. */
export type EntryPath =
  | { readonly kind: 'path'; readonly components: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** Parses the name of an archive entry. Refuses names that could point outside the destination. */
export function parseEntryPath(name: string): EntryPath {
  if (name === '') return refusedPath('has no name')
  if (name.includes('\0')) return refusedPath('has a NUL character in its name')
  if (name.includes(REPLACEMENT)) return refusedPath('has a name that is not UTF-8')
  if (name.startsWith('/')) return refusedPath('has an absolute name')
  if (Buffer.byteLength(name) > MAX_PATH_BYTES) return refusedPath(`has a name of more than ${MAX_PATH_BYTES} bytes`)
  const components = name.split('/').filter((component) => component !== '' && component !== '.')
  if (components.includes('..')) return refusedPath('has ".." in its name')
  if (components.length > MAX_DEPTH) return refusedPath(`is more than ${MAX_DEPTH} directories deep`)
  if (components.some((component) => Buffer.byteLength(component) > MAX_NAME_BYTES)) {
    return refusedPath(`has a name of more than ${MAX_NAME_BYTES} bytes`)
  }
  return { kind: 'path', components }
}

function refusedPath(reason: string): EntryPath {
  return { kind: 'refused', reason }
}
