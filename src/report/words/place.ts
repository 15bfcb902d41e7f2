/** Separates the name of a bundle from that of a file in it. */
const IN_BUNDLE = '!/'

/**
 * The location of a policy file, for readers that link to it. `inside` is a normalized path below the directory of the
 * scan, which in a pipeline is the checked-out repository. For a file in a bundle, the location of the bundle.
 */
export type FilePlace =
  | { readonly kind: 'inside'; readonly path: string; readonly isBundle: boolean }
  | { readonly kind: 'absolute'; readonly path: string; readonly isBundle: boolean }
  | { readonly kind: 'address'; readonly url: URL; readonly isBundle: true }
  /** Outside of that directory: `path` is the file name only. */
  | { readonly kind: 'outside'; readonly path: string; readonly isBundle: boolean }
  | { readonly kind: 'stdin'; readonly isBundle: false }

/** The location of a policy file, by its name in reports. */
export function placeOf(file: string): FilePlace {
  if (file === '-') return { kind: 'stdin', isBundle: false }
  const end = file.indexOf(IN_BUNDLE)
  const isBundle = end >= 0
  const name = isBundle ? file.slice(0, end) : file
  if (/^(https?|obj):\/\//i.test(name) && URL.canParse(name))
    return { kind: 'address', url: new URL(name), isBundle: true }
  const path = normalize(name)
  if (name.startsWith('/')) return { kind: 'absolute', path: `/${path ?? ''}`, isBundle }
  return path === undefined || path === ''
    ? { kind: 'outside', path: lastOf(name), isBundle }
    : { kind: 'inside', path, isBundle }
}

/** A relative path for readers that support nothing else; for `inside`, the path in the repository. */
export function relativePathOf(place: FilePlace): string {
  switch (place.kind) {
    case 'inside':
    case 'outside':
      return place.path
    case 'absolute':
      return lastOf(place.path)
    case 'address':
      return `${place.url.host}${place.url.pathname}`
    case 'stdin':
      return 'stdin'
  }
}

/** A path as a URI path, with every segment percent-encoded. */
export function encodePath(path: string): string {
  return path
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
}

/** Removes empty segments, `.` and `..`; undefined if the path leads above its start. */
function normalize(path: string): string | undefined {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') kept.push(segment)
    else if (kept.pop() === undefined) return undefined
  }
  return kept.join('/')
}

function lastOf(path: string): string {
  return path.split('/').findLast((segment) => segment !== '' && segment !== '.' && segment !== '..') ?? '.'
}
