/**
 * The shortest path with the same meaning as text alone can tell: no empty, `.` or inner `..` components, no slash at
 * the end. The empty path is `.`. Links are not looked at.
 * @see https://pkg.go.dev/path#Clean
 */
export function cleanPath(path: string): string {
  // Nearly every path is clean already, and this tells so without taking it apart.
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

/** Why a text is no absolute path in canonical form, as the end of a sentence; undefined where it is one. */
export function absolutePathProblem(path: string): string | undefined {
  if (path.includes('\0')) return 'must not contain a NUL character'
  if (!path.startsWith('/')) return 'must be an absolute path'
  const clean = cleanPath(path)
  return clean === path ? undefined : `must be a canonical path, write "${clean}"`
}
