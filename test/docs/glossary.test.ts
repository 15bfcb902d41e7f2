import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { readDocument } from './documents.ts'

/** Rows of the glossary: term, meaning, and where it is used: a schema or a command, with the text there. */
const ROWS = [...readDocument('docs/glossary.md').matchAll(/^\| (\S.*?) +\| (\S.*?) +\| (\S.*?) +\|$/gm)]
  .map(([, term = '', meaning = '', place = '']) => ({ term, meaning, place }))
  .filter(({ term, meaning }) => term !== 'term' && !/^-+$/.test(meaning))

test('the glossary has its terms once each', () => {
  const terms = ROWS.map(({ term }) => term)
  expect(new Set(terms).size).toBe(terms.length)
  expect(terms.length).toBeGreaterThan(50)
})

test.each(ROWS)('$term is used in $place', async ({ place }) => {
  const [, kind, , command = '', text = ''] = /^(report|fleet|help):( (\S+))? `([^`]+)`$/.exec(place) ?? []
  if (kind === 'help') {
    const { stdout } = await driftgate([command, '--help'], { cwd: tmpdir() })
    expect(stdout.toLowerCase()).toContain(text.toLowerCase())
    return
  }
  expect(kind).toBeOneOf(['report', 'fleet'])
  const schema: unknown = JSON.parse(readDocument(`schemas/${kind}.schema.json`))
  expect(namesIn(schema)).toContain(text)
})

/** The names of fields and the words that a schema knows. */
function namesIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'properties' && typeof value === 'object' && value !== null ? Object.keys(value) : []),
    ...(key === 'enum' && Array.isArray(value) ? value.map(String) : []),
    ...(key === 'const' ? [String(value)] : []),
    ...namesIn(value),
  ])
}

test('every verdict has its term', () => {
  const report = JSON.parse(readDocument('schemas/report.schema.json')) as {
    readonly $defs: Readonly<Record<string, { readonly enum?: readonly string[] }>>
  }
  const verdicts = Object.values(report.$defs).flatMap(({ enum: words = [] }) =>
    words.includes('fix-failed') ? words : [],
  )
  expect(verdicts.length).toBeGreaterThan(5)
  expect(ROWS.map(({ term }) => term)).toEqual(expect.arrayContaining([...new Set(verdicts)]))
})
