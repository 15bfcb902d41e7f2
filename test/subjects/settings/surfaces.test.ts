import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadSurfaces } from '../../../src/subjects/index.ts'

const surfaces = await loadSurfaces()

const guide = readFileSync('docs/guide/settings.md', 'utf8').replace(/\s+/g, ' ')

test('names of surfaces are unique', () => {
  const names = surfaces.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

test.each(surfaces.map((surface) => [surface.name, surface] as const))(
  'the guide tells what %s is',
  (name, { summary }) => {
    expect(guide).toContain(`- \`${name}\`: ${summary}`)
  },
)
