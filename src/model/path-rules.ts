/**
 * The shortest equivalent path, by text alone: no empty, `.` or inner `..` components, no trailing slash. The empty
 * path becomes `.`. Symbolic links are not resolved.
 * @see https://pkg.go.dev/path#Clean
 */
export function cleanPath(path: string): string {
  // Fast path: most paths are already clean.
  if (path.startsWith('/') && !/\/(?:\/|\.{1,2}(?:\/|$))|.\/$/.test(path)) return path
  const rooted = path.startsWith('/')
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') kept.push(part)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!rooted) kept.push(part)
  }
  const clean = kept.join('/')
  if (rooted) return `/${clean}`
  return clean === '' ? '.' : clean
}

/** Whether a path is the directory or below it, by text alone. Both are clean. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
}

/** Why a path is not absolute and canonical, as the end of a sentence; undefined if it is. */
export function absolutePathProblem(path: string): string | undefined {
  if (path.includes('\0')) return 'must not contain a NUL character'
  if (!path.startsWith('/')) return 'must be an absolute path'
  const clean = cleanPath(path)
  return clean === path ? undefined : `must be a canonical path, write "${clean}"`
}
