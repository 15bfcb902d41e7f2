import { expect, test } from 'vitest'
import { distinctIds } from '../../src/model/policy-identity.ts'

test.each([
  [
    ['db', 'web'],
    ['db', 'web'],
  ],
  [
    ['db/site.yaml', 'web/site.yaml'],
    ['db/site', 'web/site'],
  ],
  [
    ['a/site.yaml', 'a/site.yaml', 'a/site.yaml', 'web.yaml'],
    ['a/site', 'a/site#2', 'a/site#3', 'web'],
  ],
])('policies of %j are told apart as %j', (sources, ids) => {
  const idOf = (source: string): string => source.replace(/^.*\//, '').replace(/\.yaml$/, '')
  expect(distinctIds(sources.map((source) => ({ id: idOf(source), source })))).toEqual(ids)
})
