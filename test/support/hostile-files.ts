import fc from 'fast-check'
import type { Files } from './surface-oracle.ts'

/** What programs read in different ways: blanks of other alphabets, controls, marks, continuations, quotes, long lines. */
const PIECES = [
  ' ',
  '\t',
  '\u00a0',
  '\u2003',
  '\u0085',
  '\ufeff',
  '\0',
  '\r',
  '\r\n',
  '\v',
  '\f',
  '\n',
  '\n\n',
  '\\',
  '\\\\',
  '\\\n',
  '\\ \n',
  '\\\r\n',
  ' \\\n ',
  '# x \\\n',
  '#',
  ';',
  '"',
  "'",
  '=',
  ',',
  '\u00e9',
  ' '.repeat(1_100),
  'x'.repeat(1_100),
] as const

/** Characters at which a piece does most. */
const JOINT = /^|$|(?<=[\s=:,;"'{}()[\]])|(?=[\s=:,;"'{}()[\]])/gm

type Edit = (text: string) => string

const place = fc.nat({ max: 1_000_000 })

const insertion = fc.tuple(place, fc.constantFrom(...PIECES), fc.boolean()).map(([at, piece, isInside]): Edit => {
  return (text) => {
    const joints = Array.from(text.matchAll(JOINT), ({ index }) => index)
    const index = isInside ? at % (text.length + 1) : (joints[at % joints.length] ?? 0)
    return text.slice(0, index) + piece + text.slice(index)
  }
})

const deletion = place.map((at): Edit => {
  return (text) => text.slice(0, at % (text.length + 1)) + text.slice((at % (text.length + 1)) + 1)
})

const ofLine = fc.tuple(place, fc.constantFrom('repeat', 'upper', 'lower', 'end')).map(([at, kind]): Edit => {
  return (text) => {
    const lines = text.split('\n')
    const index = at % lines.length
    const line = lines[index] ?? ''
    if (kind === 'end') return text.replace(/\n+$/, '')
    const changed = { repeat: `${line}\n${line}`, upper: line.toUpperCase(), lower: line.toLowerCase() }[kind] ?? line
    return lines.with(index, changed).join('\n')
  }
})

const edits = fc.array(fc.oneof({ weight: 6, arbitrary: insertion }, deletion, { weight: 2, arbitrary: ofLine }), {
  maxLength: 3,
})

/** The files, in which some of the texts whose paths match are spoilt at a few places. */
export function hostile(files: fc.Arbitrary<Files>, paths = /^/): fc.Arbitrary<Files> {
  return fc.tuple(files, fc.infiniteStream(fc.oneof(fc.constant<Edit[]>([]), edits))).map(([all, each]) =>
    Object.fromEntries(
      Object.entries(all).map(([path, text]) => {
        if (!paths.test(path)) return [path, text]
        const [made = []] = each.take(1)
        return [path, made.reduce((changed, edit) => edit(changed), text)]
      }),
    ),
  )
}
