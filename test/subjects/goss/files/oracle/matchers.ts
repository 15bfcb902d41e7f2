import fc from 'fast-check'
import type { GossContent } from '../../../../../src/subjects/goss/files/resource.ts'

type Wanted = fc.Arbitrary<GossContent>

/** Matchers about a value: some that it meets, some that it nearly meets, and some of which it is another kind. */
export function matchersAbout(value: GossContent): Wanted {
  const plain = plainMatchers(value)
  return fc.oneof({ weight: 4, arbitrary: plain }, combined(plain))
}

/** The same about a text from a reader: lists are patterns there. */
export function matchersAboutText(text: string): Wanted {
  const patterns = patternsAbout(text)
  return fc.oneof(
    { weight: 3, arbitrary: patterns },
    matchersAbout(text),
    fc.record({ 'have-patterns': patterns }),
    combined(fc.record({ 'have-patterns': patterns })),
    combined(textMatchers(text)),
  )
}

/** `or` stands in no `not`: where one of its matchers cannot judge the value, Goss ends with a panic. */
function combined(matchers: Wanted): Wanted {
  const several = fc.array(matchers, { minLength: 1, maxLength: 3 })
  return fc.oneof(fc.record({ not: matchers }), fc.record({ and: several }), fc.record({ or: several }))
}

function plainMatchers(value: GossContent): Wanted {
  if (typeof value === 'boolean') return booleanMatchers(value)
  if (typeof value === 'number') return numberMatchers(value)
  if (typeof value === 'string') return textMatchers(value)
  if (Array.isArray(value)) return listMatchers(value)
  return mapMatchers(value as Readonly<Record<string, GossContent>>)
}

function booleanMatchers(value: boolean): Wanted {
  return fc.oneof(
    fc.constantFrom<GossContent>(value, !value, { equal: value }, { equal: !value }, String(value), { not: value }),
    fc.constantFrom<GossContent>(
      { or: [true, false] },
      { and: [value, { not: !value }] },
      { not: { or: [value, !value] } },
      { 'match-regexp': '^t' },
    ),
  )
}

function numberMatchers(value: number): Wanted {
  const near = fc.constantFrom(value, value + 1, value - 1)
  return fc.oneof(
    near,
    near.map(String),
    fc
      .tuple(fc.constantFrom('gt', 'ge', 'lt', 'le', 'equal'), near)
      .map(([word, bound]): GossContent => ({ [word]: bound })),
    fc.constantFrom<GossContent>(
      { 'match-regexp': '^[0-9]+$' },
      { 'have-prefix': `${value}`.slice(0, 1) },
      { 'have-len': 2 },
      { 'contain-element': value },
      [value],
    ),
  )
}

/** Of a text: parts of it, and parts with a letter too many. */
function partsOf(text: string): fc.Arbitrary<string> {
  const longest = Math.min(text.length, 12)
  const part = fc
    .tuple(fc.nat(Math.max(text.length - 1, 0)), fc.integer({ min: 1, max: Math.max(longest, 1) }))
    .map(([start, length]) => text.slice(start, start + length))
  return fc.oneof(
    { weight: 3, arbitrary: part },
    part.map((each) => `${each}~`),
  )
}

function textMatchers(text: string): Wanted {
  const part = partsOf(text)
  const words = fc.constantFrom('have-prefix', 'have-suffix', 'contain-substring')
  const ends = fc.constantFrom(text.slice(0, 3), text.slice(-3), `${text.slice(0, 2)}~`)
  const lines = text.split('\n')
  return fc.oneof(
    fc.constantFrom<GossContent>(text, `${text}x`, { equal: text }, { 'have-len': Buffer.byteLength(text) }),
    fc.tuple(words, fc.oneof(part, ends)).map(([word, each]): GossContent => ({ [word]: each })),
    regexAbout(part).map((regex): GossContent => ({ 'match-regexp': regex })),
    fc.constantFrom(...lines, 'no such line').map((line): GossContent => ({ 'contain-element': line })),
    fc.constantFrom<GossContent>(
      { 'contain-elements': lines.slice(0, 2) },
      { 'contain-elements': [...lines.slice(0, 1), 'no such line'] },
      { 'contain-element': { 'have-prefix': text.slice(0, 2) } },
      { 'consist-of': lines },
      { gt: 3 },
      { le: 700 },
      { 'semver-constraint': '>=1.0.0' },
      [text],
    ),
  )
}

function regexAbout(part: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(part, fc.constantFrom('', '^', '(?i)', '(?s)^.*', '(?m)^'), fc.constantFrom('', '$', '.*', '[a-z]*'))
    .map(([each, start, end]) => `${start}${escapeRegex(each)}${end}`)
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** Lists of patterns, as they are given for texts. */
function patternsAbout(text: string): Wanted {
  const line = fc.constantFrom(...text.split('\n')).chain((each) => partsOf(each))
  const pattern = fc.oneof(
    { weight: 3, arbitrary: line },
    line.map((each) => `!${each}`),
    regexAbout(line).map((each) => `/${each}/`),
    regexAbout(line).map((each) => `!/${each}/`),
    line.map((each) => `/${escapeRegex(each.toUpperCase())}/i`),
    line.map((each) => String.raw`\!${each}`),
    fc.constantFrom('', '!', '/etc/passwd', '/^$/', '/[a-z]+/', '!/[A-Z]{9}/', '/opt/i', '!~~~'),
  )
  return fc.array(pattern, { minLength: 1, maxLength: 3 })
}

function listMatchers(list: readonly GossContent[]): Wanted {
  const item = list.length === 0 ? fc.constant<GossContent>('none') : fc.constantFrom(...list)
  const element = fc.oneof(item, fc.constant<GossContent>('no such item'), item.map(startOf))
  const elements = fc.array(element, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    elements,
    // An empty list asks for nothing, which is not judged.
    fc.constant<GossContent>(list.length === 0 ? { 'consist-of': [] } : [...list]),
    fc.constant<GossContent>({ 'consist-of': list.toReversed() }),
    fc.constant<GossContent>({ 'consist-of': [...list, 'one more'] }),
    elements.map((wanted): GossContent => ({ 'consist-of': wanted })),
    elements.map((wanted): GossContent => ({ 'contain-elements': wanted })),
    element.map((wanted): GossContent => ({ 'contain-element': wanted })),
    fc.constantFrom<GossContent>(
      { 'have-len': list.length },
      { 'have-len': list.length + 1 },
      { equal: [...list] },
      { equal: list.toReversed() },
      { 'match-regexp': 'a' },
      { 'have-patterns': ['/a/'] },
      { 'semver-constraint': '>=0.0.1' },
      list.length === 0 ? '' : list.map((each) => JSON.stringify(each)).join('\n'),
      { gt: 1 },
    ),
  )
}

function startOf(item: GossContent): GossContent {
  return typeof item === 'string' ? { 'have-prefix': item.slice(0, 2) } : { ge: 1 }
}

function mapMatchers(map: Readonly<Record<string, GossContent>>): Wanted {
  const key = fc.constantFrom(...Object.keys(map), 'no such key')
  return fc.oneof(
    key.map((each): GossContent => ({ 'have-key': each })),
    key.map((each): GossContent => ({ 'have-key': { 'have-prefix': each.slice(0, 1) } })),
    fc.constantFrom<GossContent>(
      { equal: { ...map } },
      { equal: { ...map, more: 1 } },
      { 'have-len': Object.keys(map).length },
      'map',
      [1],
    ),
  )
}
