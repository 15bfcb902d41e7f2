import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Screen } from '../../../src/cli/output/io.ts'
import { formatProgress, startProgress } from '../../../src/cli/scan/progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function makeScreen(): { readonly screen: Screen; readonly written: string[] } {
  const written: string[] = []
  return { written, screen: { columns: () => 80, write: (text) => void written.push(text) } }
}

const step = (done: number): Parameters<typeof formatProgress>[0] => ({
  done,
  total: 9,
  drifted: 1,
  current: 'file#/etc/hosts',
})

test('a run shorter than half a second shows nothing', () => {
  const { screen, written } = makeScreen()
  const line = startProgress(screen)
  line.update(step(1))
  vi.advanceTimersByTime(499)
  line.update(step(2))
  line.finish()
  vi.advanceTimersByTime(5_000)
  expect(written).toEqual([])
})

test('the line appears although the first resource takes long, and is cleared once', () => {
  const { screen, written } = makeScreen()
  const line = startProgress(screen)
  line.update(step(0))
  vi.advanceTimersByTime(600)
  expect(written.at(-1)).toBe('\r0/9 resources, 1 drifted, file#/etc/hosts\u001b[K')
  line.finish()
  line.finish()
  expect(written.at(-1)).toBe('\r\u001b[K')
  expect(written.filter((text) => text === '\r\u001b[K')).toHaveLength(1)
})

test('after it was finished nothing brings the line back', () => {
  const { screen, written } = makeScreen()
  const line = startProgress(screen)
  line.update(step(0))
  vi.advanceTimersByTime(600)
  line.finish()
  const before = written.length
  line.update(step(3))
  vi.advanceTimersByTime(5_000)
  expect(written).toHaveLength(before)
})

test('many updates are drawn ten times a second', () => {
  const { screen, written } = makeScreen()
  const line = startProgress(screen)
  for (let ms = 0; ms < 1_500; ms++) {
    line.update(step(ms))
    vi.advanceTimersByTime(1)
  }
  line.finish()
  // From half a second to one and a half seconds: ten or eleven drawings, and the clearing.
  expect(written.length).toBeGreaterThanOrEqual(10)
  expect(written.length).toBeLessThanOrEqual(12)
})

test('names with control characters are shown escaped', () => {
  expect(formatProgress({ ...step(1), current: 'file#/a\u001b[2Jb\n' }, 80)).toBe(
    String.raw`1/9 resources, 1 drifted, file#/a\x1b[2Jb\n`,
  )
})

test('the line never reaches the last column, wide characters counted as two', () => {
  const anything = fc.string({ unit: fc.constantFrom('a', 'é', '中', '한', '🚀'), maxLength: 60 })
  fc.assert(
    fc.property(anything, fc.integer({ min: 0, max: 90 }), (current, columns) => {
      const line = formatProgress({ ...step(1), current }, columns)
      const widest = Array.from(line).reduce((sum, character) => sum + ('中한🚀'.includes(character) ? 2 : 1), 0)
      expect(widest).toBeLessThan(Math.max(columns, 1))
    }),
  )
})

test('the line steps aside for something else and comes back', () => {
  const { screen, written } = makeScreen()
  const line = startProgress(screen)
  line.update(step(0))
  vi.advanceTimersByTime(600)
  line.stepAside()
  expect(written.at(-1)).toBe('\r\u001b[K')
  vi.advanceTimersByTime(200)
  expect(written.at(-1)).toContain('0/9 resources')
  line.finish()
})
