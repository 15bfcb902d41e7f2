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
