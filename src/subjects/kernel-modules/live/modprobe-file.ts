/** A modprobe.d line that affects whether a module is loaded; lines with module options are skipped. */
export type ModprobeLine =
  | { readonly kind: 'install'; readonly pattern: string; readonly command: string; readonly line: number }
  | { readonly kind: 'blacklist'; readonly module: string; readonly line: number }
  | { readonly kind: 'alias'; readonly pattern: string; readonly module: string; readonly line: number }

/** Parses a file as kmod does and skips the lines that kmod ignores. @see modprobe.d(5), libkmod-config.c */
export function parseModprobeFile(text: string): readonly ModprobeLine[] {
  const lines: ModprobeLine[] = []
  let number = 1
  for (const written of logicalLines(text)) {
    const line = parseLine(written.text, number)
    if (line !== undefined) lines.push(line)
    number += written.lineCount
  }
  return lines
}

/** A backslash joins a line with the next one and is removed before parsing. */
function logicalLines(text: string): readonly { readonly text: string; readonly lineCount: number }[] {
  return [...text.matchAll(/(?:\\[^]|[^\\\n])+\\?\n?|\\?\n|\\$/g)].map(([written]) => ({
    text: written.replaceAll(/\\([^])/g, (_, next: string) => (next === '\n' ? '' : next)).replace(/\n$/, ''),
    lineCount: written.split('\n').length - 1,
  }))
}

function parseLine(written: string, line: number): ModprobeLine | undefined {
  // A string of C ends at NUL.
  const [text = ''] = written.split('\0')
  if (text.startsWith('#')) return undefined
  const [, keyword, rest = ''] = /^[\t ]*([^\t ]+)(?:[\t ]([^]*))?$/.exec(text) ?? []
  const [, first, after] = /^[\t ]*([^\t ]+)(?:[\t ]([^]*))?$/.exec(rest) ?? []
  const name = first === undefined ? undefined : normalizeName(first)
  if (name === undefined) return undefined
  switch (keyword) {
    case 'install':
      return after === undefined || after === '' ? undefined : { kind: 'install', pattern: name, command: after, line }
    case 'blacklist':
      return { kind: 'blacklist', module: name, line }
    case 'alias': {
      const [word] = (after ?? '').split(/[\t ]+/).filter((each) => each !== '')
      const module = word === undefined ? undefined : normalizeName(word)
      return module === undefined ? undefined : { kind: 'alias', pattern: name, module, line }
    }
    default:
      return undefined
  }
}

/** Replaces `-` by `_` outside of the brackets of a pattern; undefined for unbalanced brackets. */
export function normalizeName(name: string): string | undefined {
  if (!/^(?:[^[\]]|\[[^\]]*\])*$/.test(name)) return undefined
  return name.replaceAll(/\[[^\]]*\]|-/g, (part) => (part === '-' ? '_' : part))
}

/** Whether a name matches a pattern of the configuration or of modules.alias. @see fnmatch(3) */
export function matchesPattern(pattern: string, name: string): boolean {
  if (pattern === name) return true
  if (!/[*?[\\]/.test(pattern)) return false
  const source = pattern.replaceAll(
    /\[([!^]?)([^\]]*)\]|\\?[^]/g,
    (part, negation: string | undefined, set: string) => {
      if (part === '*') return '.*'
      if (part === '?') return '.'
      if (!part.startsWith('[') || part.length === 1) return escapeRegExp(part.slice(-1))
      // A reversed range is empty.
      const members = set
        .replaceAll(/\\([^])/g, '$1')
        .replaceAll(/([^])-([^])/g, (range, from: string, to: string) => (from <= to ? range : ''))
      const inSet = members.replaceAll(/[\\^[\]]/g, '\\$&')
      if (inSet === '') return negation === '' ? '(?!)' : '.'
      return `[${negation === '' ? '' : '^'}${inSet}]`
    },
  )
  try {
    return new RegExp(`^${source}$`, 's').test(name)
  } catch {
    return false
  }
}

function escapeRegExp(character: string): string {
  return character.replace(/[.+^${}()|\\[\]]/, '\\$&')
}
