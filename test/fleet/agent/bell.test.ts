import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeBell } from '../../../src/fleet/agent/bell.ts'

const never = new AbortController().signal

test('a ring before the wait ends the wait, once', async () => {
  const bell = makeBell()
  bell.ring()
  bell.ring()
  await bell.wait(Infinity, never)
  const past = performance.now()
  await bell.wait(past, never)
  const second = bell.wait(Infinity, never)
  expect(await Promise.race([second.then(() => 'rang'), setImmediate('waits')])).toBe('waits')
  bell.ring()
  await second
})

test('a wait ends with its signal, also with one that was aborted before', async () => {
  const bell = makeBell()
  const over = new AbortController()
  const waiting = bell.wait(Infinity, over.signal)
  over.abort()
  await waiting
  await bell.wait(Infinity, over.signal)
})
