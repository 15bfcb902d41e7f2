import { expect, test } from 'vitest'
import { createRemoteValues, type RemoteValues } from '../../../src/policy/template/remote-values.ts'

/** A server whose keys hold how often it was asked so far. */
function counting(): { readonly remote: RemoteValues; readonly asked: string[] } {
  const asked: string[] = []
  const remote = createRemoteValues({
    async value(bucket, key) {
      asked.push(`${bucket}/${key}`)
      return { value: String(asked.length) }
    },
    registered: async () => ({ value: [] }),
  })
  return { remote, asked }
}

test('work is done again until everything that it asks for is there, and sees one state', async () => {
  const { remote, asked } = counting()
  const work = (): string => `${remote.kvGet('B', 'a')} ${remote.kvGet('B', 'b')} ${remote.kvGet('B', 'a')}`
  expect(await remote.complete(work)).toBe('1 2 1')
  expect(await remote.complete(work)).toBe('1 2 1')
  expect(asked).toEqual(['B/a', 'B/b'])
})

test('work that asks for nothing, or for nothing new, answers at once', async () => {
  const { remote } = counting()
  expect(remote.complete(() => 1)).toBe(1)
  await remote.complete(() => remote.kvGet('B', 'a'))
  expect(remote.complete(() => remote.kvGet('B', 'a'))).toBe('1')
})

test('work that swallows the error of a missing value is repeated all the same', async () => {
  const { remote } = counting()
  const work = (): string => {
    try {
      return remote.kvGet('B', 'a')
    } catch {
      return 'swallowed'
    }
  }
  expect(await remote.complete(work)).toBe('1')
  const { remote: other } = counting()
  expect(
    await other.complete(async () => {
      await Promise.resolve()
      try {
        return other.kvGet('B', 'a')
      } catch {
        return 'swallowed'
      }
    }),
  ).toBe('1')
})

test('an error of its own ends work', async () => {
  const { remote } = counting()
  const fail = (): never => {
    throw new Error(`own ${remote.kvGet('B', 'a')}`)
  }
  await expect(async () => await remote.complete(fail)).rejects.toThrow('own 1')
  expect(() => remote.complete(fail)).toThrow('own 1')
})

test.each([
  ['cluster', { cluster: 'a.b', protocol: '', service: '', ip: '' }],
  ['protocol', { cluster: '', protocol: '>', service: '', ip: '' }],
  ['service', { cluster: '', protocol: '', service: 'we*', ip: '' }],
  ['ip', { cluster: '', protocol: '', service: '', ip: '10.0.0.*' }],
])('a query whose %s nothing can have is an error and no empty list', (name, query) => {
  expect(() => counting().remote.registrations(query)).toThrow(new RegExp(`registrations: ${name} .* is not a valid`))
})
