import { expect, test } from 'vitest'
import { renderDueTime } from '../../../src/fleet/web/pieces.ts'

test('a due time is counted down, and an overdue one is marked', () => {
  const nowMs = Date.parse('2026-11-23T12:00:00Z')
  expect(renderDueTime(nowMs + 150 * 60_000, nowMs).html).toContain('title="2026-11-23 14:30:00 UTC">in 2h 30m</time>')
  for (const pastMs of [0, 1, 150 * 60_000]) {
    expect(renderDueTime(nowMs - pastMs, nowMs).html).toMatch(
      /^<span class="caution">was due <time .* ago<\/time><\/span>$/,
    )
  }
})
