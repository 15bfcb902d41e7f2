import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deepMerge, type Layer, mergeLayers, traceValues, valueAt } from '../../../src/policy/data/merge.ts'
import { fromPlain, toPlain } from '../../../src/templates/govalue/index.ts'

function layer(origin: string, data: object, merge: Layer['merge'] = 'deep'): Layer {
  const value = fromPlain(data)
  if (!(value instanceof Map)) throw new Error('data must be a map')
  return { origin, data: value, merge }
}

test('maps merge, lists join without removing doubles, the rest is replaced', () => {
  const merged = mergeLayers([
    layer('base', { a: 1, m: { x: 1, y: 1 }, l: ['p'], s: 'text' }),
    layer('over', { a: 2, m: { y: 2, z: 2 }, l: ['p', 'q'], s: ['now a list'] }),
  ])
  expect(toPlain(merged)).toEqual({ a: 2, m: { x: 1, y: 2, z: 2 }, l: ['p', 'p', 'q'], s: ['now a list'] })
})

test('a shallow layer replaces whole top-level values', () => {
  const merged = mergeLayers([layer('base', { m: { x: 1 }, k: 1 }), layer('over', { m: { y: 2 } }, 'shallow')])
  expect(toPlain(merged)).toEqual({ m: { y: 2 }, k: 1 })
})

test('merging changes neither side', () => {
  const below = layer('a', { l: ['a'], m: { x: 1 } }).data
  const above = layer('b', { l: ['b'], m: { y: 1 } }).data
  deepMerge(below, above)
  expect(toPlain(below)).toEqual({ l: ['a'], m: { x: 1 } })
  expect(toPlain(above)).toEqual({ l: ['b'], m: { y: 1 } })
})

test('the upper layer always wins, and values only in the lower layer stay', () => {
  const { tree } = fc.letrec<{ tree: object; value: unknown }>((tie) => ({
    tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    value: fc.oneof({ maxDepth: 3 }, fc.integer(), tie('tree')),
  }))
  const leaves = (data: unknown, path: string[] = []): [string[], unknown][] =>
    typeof data === 'object' && data !== null && Object.keys(data).length > 0
      ? Object.entries(data).flatMap(([key, value]) => leaves(value, [...path, key]))
      : [[path, data]]
  fc.assert(
    fc.property(tree, tree, (below, above) => {
      const merged = deepMerge(layer('below', below).data, layer('above', above).data)
      for (const [path, value] of leaves(above)) {
        if (typeof value === 'number') expect(valueAt(merged, path)).toBe(BigInt(value))
      }
      for (const [path, value] of leaves(below)) {
        const isUntouched = path.every(
          (_key, depth) => valueAt(layer('above', above).data, path.slice(0, depth + 1)) === undefined,
        )
        if (isUntouched && typeof value === 'number') expect(valueAt(merged, path)).toBe(BigInt(value))
      }
    }),
  )
})

test('every value tells the layers it is made of, the deciding one last', () => {
  const traced = traceValues([
    layer('data', { a: 1, m: { x: 1, y: 1 }, l: ['p'], gone: { k: 1 } }),
    layer('override env:prod', { m: { y: 2 }, l: ['q'] }),
    layer('--data site.yaml', { gone: { new: 1 } }, 'shallow'),
    layer('--set a', { a: 3 }),
  ])
  expect(Object.fromEntries(traced.map(({ path, origins }) => [path.join('.'), origins]))).toEqual({
    a: ['--set a'],
    'm.x': ['data'],
    'm.y': ['override env:prod'],
    l: ['data', 'override env:prod'],
    'gone.new': ['--data site.yaml'],
  })
})
