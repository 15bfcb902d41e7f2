import { posix } from 'node:path'
import { fixed, renamed, type TemplateFunction } from '../functions.ts'

/** Go's `path.Clean`. */
function clean(path: string): string {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

/** Go's `path.Base`: the last element; `.` for an empty path and `/` for only slashes. */
function base(path: string): string {
  if (path === '') return '.'
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  const trimmed = path.slice(0, end)
  return trimmed.slice(trimmed.lastIndexOf('/') + 1) || '/'
}

/** Go's `path.Dir`: all but the last element, cleaned. */
function directory(path: string): string {
  return clean(path.slice(0, path.lastIndexOf('/') + 1))
}

/** Go's `path.Ext`: from the last dot of the last element on. */
function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}

const PLAIN: readonly TemplateFunction[] = [
  fixed('base', ['string'], ([path]) => base(path)),
  fixed('dir', ['string'], ([path]) => directory(path)),
  fixed('clean', ['string'], ([path]) => clean(path)),
  fixed('ext', ['string'], ([path]) => extension(path)),
  fixed('isAbs', ['string'], ([path]) => path.startsWith('/')),
]

/** Functions on slash-separated paths; those with the `os` prefix are equal, because targets use such paths. */
export const PATH_FUNCTIONS: readonly TemplateFunction[] = [
  ...PLAIN,
  ...PLAIN.map((entry) => renamed(entry, `os${entry.name.slice(0, 1).toUpperCase()}${entry.name.slice(1)}`)),
]
