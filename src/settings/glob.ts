import { known, type Reading, unknown } from '../model/observation.ts'
import type { ConfigFiles } from './surface.ts'

const WILDCARD = /[*?[]/

/**
 * The paths that match a glob(3) pattern, sorted by bytes. Hidden names match only a pattern with a leading dot. A
 * pattern without a wildcard is returned even if the path does not exist.
 */
export function expandGlob({ names: list }: Pick<ConfigFiles, 'names'>, pattern: string): Reading<readonly string[]> {
  let paths: readonly string[] = ['']
  let isExpanded = false
  for (const part of pattern.split('/').filter((each) => each !== '')) {
    const isLiteral = !WILDCARD.test(part)
    if (isLiteral && !isExpanded) {
      paths = paths.map((path) => `${path}/${part}`)
      continue
    }
    isExpanded = true
    const expression = isLiteral ? undefined : nameExpression(part)
    if (!isLiteral && expression === undefined) return unknown('invalid', `${pattern}: unsupported pattern`)
    const next: string[] = []
    for (const path of paths) {
      const names = list(path === '' ? '/' : path)
      if (names.kind === 'unknown') return names
      next.push(
        ...(names.value ?? [])
          .filter((name) => expression?.test(name) ?? name === part)
          .map((name) => `${path}/${name}`),
      )
    }
    paths = next
  }
  return known(paths.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))))
}

/** Undefined for backslashes and named classes, which configurations do not use. */
function nameExpression(part: string): RegExp | undefined {
  if (/\\|\[[!^]?\]|\[[^\]]*(?:\[|$)/.test(part)) return undefined
  const source = part.replace(/\[([!^]?)([^\]]+)\]|./gs, (token, not: string | undefined, set: string | undefined) => {
    if (set !== undefined) return `[${not === '' ? '' : '^'}${set.replace(/[\\^]/g, '\\$&')}]`
    if (token === '*') return '.*'
    return token === '?' ? '.' : token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  })
  return new RegExp(part.startsWith('.') ? `^${source}$` : `^(?!\\.)${source}$`, 's')
}
