import { expect, test } from 'vitest'
import { defineSubject, openTarget } from '../../src/index.ts'
import { testTarget } from '../../src/testing/index.ts'

test('a subject is read once for each machine, and anew after a change', async () => {
  let reads = 0
  const subject = defineSubject({
    name: 'acme.motd',
    read(target) {
      reads++
      return target.probe.readText('/etc/motd')
    },
  })
  const [one, other] = await Promise.all(['one', 'other'].map((text) => testTarget({ files: { '/etc/motd': text } })))
  if (one === undefined || other === undefined) throw new Error('no machines')
  expect([subject.of(one.target), subject.of(one.target)]).toEqual(Array(2).fill({ kind: 'known', value: 'one' }))
  expect(subject.of(other.target)).toEqual({ kind: 'known', value: 'other' })
  expect(reads).toBe(2)
  one.target.forget(['/etc/motd'])
  subject.of(one.target)
  expect(reads).toBe(3)
  await Promise.all([one.remove(), other.remove()])
})

test('a machine that runs is read as well', async () => {
  const subject = defineSubject({ name: 'acme.kind', read: ({ kind }) => kind })
  expect(subject.of(await openTarget('local'))).toBe('local')
})

test('names without a dot belong to driftgate', () => {
  expect(() => defineSubject({ name: 'redis', read: () => 1 })).toThrow(
    'the name of a subject needs a dot, as in "acme.redis"',
  )
})
