import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { known, unknown } from '../../../../src/model/observation.ts'
import { createCandidates, newestChange } from '../../../../src/subjects/packages/live/candidates.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

test('one question covers all names that are expected, and is asked again once something has changed', async () => {
  const questions: (readonly string[])[] = []
  const candidates = createCandidates(
    async (names) => {
      questions.push(names)
      return known(new Map(names.filter((name) => name !== 'nothing').map((name) => [name, `${name}-1`])))
    },
    () => '2026-11-20T08:00:00Z',
  )
  candidates.expect(['a', 'b'])
  candidates.expect(['nothing'])
  expect(questions).toEqual([])
  const answers = await Promise.all(['a', 'b', 'nothing', 'late', 'late'].map((name) => candidates.of(name)))
  expect(answers.map((answer) => (answer.kind === 'known' ? answer.value.version : answer))).toEqual([
    'a-1',
    'b-1',
    null,
    'late-1',
    'late-1',
  ])
  expect(questions).toEqual([['a', 'b', 'nothing'], ['late']])
  candidates.forget()
  expect(await candidates.of('b')).toEqual(known({ version: 'b-1', indexUpdated: '2026-11-20T08:00:00Z' }))
  expect(questions).toHaveLength(3)
})

test('a failed query is unknown for every name', async () => {
  const candidates = createCandidates(
    async () => unknown('timeout', 'no end'),
    () => undefined,
  )
  candidates.expect(['a', 'b'])
  expect(await candidates.of('a')).toEqual(unknown('timeout', 'no end'))
  expect(await candidates.of('b')).toEqual(unknown('timeout', 'no end'))
})

test('the newest of some paths counts, missing ones do not', () => {
  const directory = temporaryDirectory()
  const paths = ['old', 'new'].map((name) => join(directory, name))
  for (const [index, path] of paths.entries()) {
    writeFileSync(path, '')
    utimesSync(path, new Date(0), new Date(Date.UTC(2026, index)))
  }
  expect(newestChange([...paths, join(directory, 'missing'), join(paths[0] ?? '', 'below')])).toBe(
    '2026-02-01T00:00:00Z',
  )
  expect(newestChange([join(directory, 'missing')])).toBeUndefined()
})
