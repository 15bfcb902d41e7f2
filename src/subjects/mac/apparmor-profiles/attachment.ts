/**
 * Converts the attachment of a profile to a regular expression over program paths; undefined if not supported.
 * @see apparmor.d(5), Globbing
 */
export function attachmentPattern(expression: string): RegExp | undefined {
  let source = ''
  let depth = 0
  for (const [token] of expression.matchAll(TOKENS)) {
    if (token === '{') depth++
    if (token === '}') depth--
    if (depth < 0) return undefined
    source += translateToken(token, depth)
  }
  return depth === 0 ? new RegExp(`^${source}$`, 's') : undefined
}

const TOKENS = /\\.|\[\^?[^\]]+\]|\*\*|[^]/g

function translateToken(token: string, depth: number): string {
  if (token === '**') return '.*'
  if (token === '*') return '[^/]*'
  if (token === '?') return '[^/]'
  if (token === '{') return '(?:'
  if (token === '}') return ')'
  if (token === ',' && depth > 0) return '|'
  if (token.startsWith('[') && token.length > 1) return token.replace(/\\/g, '\\\\')
  return (token.length === 2 ? token.slice(1) : token).replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
}
