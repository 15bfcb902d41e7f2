/** What separates a bundle from the name of a file in it. */
const IN_BUNDLE = '!/'

/**
 * Where a policy file lies, for readers that link to it. `inside` is a normalised path below the directory the scan was
 * started in, which in a pipeline is the checked-out repository. Of a file in a bundle it is the place of the bundle.
 */
export type FilePlace =
  | { readonly kind: 'inside'; readonly path: string; readonly isBundle: boolean }
  | { readonly kind: 'absolute'; readonly path: string; readonly isBundle: boolean }
  | { readonly kind: 'address'; readonly url: URL; readonly isBundle: true }
  /** Above that directory: `path` is the last name alone. */
  | { readonly kind: 'outside'; readonly path: string; readonly isBundle: boolean }
  | { readonly kind: 'stdin'; readonly isBundle: false }

/** Finds out where a policy file lies from the name it has in reports. */
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

/** A relative path for readers that know nothing else; it is that of a file in the repository for what is `inside`. */
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

/** The path as a relative or absolute path of a URI: every segment percent-encoded. */
export function encodePath(path: string): string {
  return path
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
}

/** Without empty segments, `.` and `../..`; undefined where it leads above the directory it starts in. */
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
