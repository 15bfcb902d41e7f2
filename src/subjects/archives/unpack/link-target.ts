// @see symlink(7)
const MAX_TARGET_BYTES = 4095

/**
 * Why a symbolic link of an archive is refused, as the end of a sentence; undefined if accepted. `link` is the path of the link.
 * Only targets that first go up and then down are accepted: each link on the way down stays inside too, so no chain can escape.
 * That does not hold for `a/../b`, as `a` may be a link.
 */
export function symlinkProblem(link: readonly string[], target: string): string | undefined {
  if (target === '') return 'is a link with an empty target'
  if (target.includes('\0')) return 'is a link with a NUL character in its target'
  if (target.includes('\uFFFD')) return 'is a link with a target that is not UTF-8'
  if (Buffer.byteLength(target) > MAX_TARGET_BYTES) return 'is a link with a target that is too long'
  if (target.startsWith('/')) return 'is a link to an absolute path'
  const components = target.split('/').filter((component) => component !== '' && component !== '.')
  const firstName = components.findIndex((component) => component !== '..')
  const ups = firstName === -1 ? components.length : firstName
  if (ups > link.length - 1) return 'is a link to a path outside the destination'
  if (components.slice(ups).includes('..'))
    return 'is a link with ".." after a name in its target, which may resolve outside the destination'
  return undefined
}
