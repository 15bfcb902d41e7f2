import { expect, test } from 'vitest'
import { placeOf, relativePathOf } from '../../../src/report/words/place.ts'

test.each([
  ['https://host.example/web.tgz!/policy.yaml', 'host.example/web.tgz'],
  ['obj://Bundles/sites/web!/manifest.yaml', 'Bundles/sites/web'],
])('a policy at the address %s lies in no repository', (file, path) => {
  const place = placeOf(file)
  expect(place).toMatchObject({ kind: 'address', isBundle: true })
  expect(relativePathOf(place)).toBe(path)
})

test.each([
  ['../x/..', 'x'],
  ['../../b/./', 'b'],
  ['../..', '.'],
])('of a policy at %s outside of the directory only the name %s is told', (file, path) => {
  expect(placeOf(file)).toEqual({ kind: 'outside', path, isBundle: false })
})
