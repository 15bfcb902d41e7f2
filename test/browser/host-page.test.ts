import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/model/verdict.ts'
import { chromiumMissing } from '../support/chromium.ts'
import { storeReport, viewFleet } from '../support/fleet-view.ts'
import { usePages } from '../support/pages.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const open = usePages()
const because = chromiumMissing === undefined ? '' : `: ${chromiumMissing}`

/** A host with two controls that drift, three unknown, and some that ask for nothing. */
const CONTROLS: Readonly<Record<string, Verdict>> = {
  'ok-01': 'compliant',
  'na-01': 'not-applicable',
  'na-02': 'not-applicable',
  'waived-01': 'waived',
  'unread-01': 'error',
  'unread-02': 'error',
  'behind-01': 'blocked',
  'drift-01': 'drifted',
  'drift-02': 'drifted',
}

describe.skipIf(chromiumMissing)(`the page of a host in a browser${because}`, () => {
  test.each([1280, 360])(
    'leads with what to fix, then what is unknown by cause, then the rest, at %i',
    async (width) => {
      const from = temporaryDirectory()
      storeReport(from, { host: 'web01', controls: CONTROLS })
      const { address } = await viewFleet({ from })
      const { page, trouble } = await open(address.replace(/\/$/, ''), '/host?name=web01', { width })
      const headings = await page.locator('h2, summary').allTextContents()
      expect(headings.slice(0, 3)).toEqual([
        'Fix first 2 drifted',
        'Unknown, by cause 3',
        'The rest 1 waived, 2 not applicable',
      ])
      expect(await page.locator('#fix tbody th a').allTextContents()).toEqual(['drift-01', 'drift-02'])
      expect(await page.locator('#unknown tbody th').allTextContents()).toEqual([
        'Permission denied',
        'Blocked by a requirement',
      ])
      expect(await page.locator('#unknown tbody tr:first-child a').allTextContents()).toEqual([
        'unread-01',
        'unread-02',
      ])
      expect(await page.locator('#rest tbody th').first().isVisible()).toBe(false)
      await page.locator('#rest summary').click()
      expect(await page.locator('#rest tbody th').first().isVisible()).toBe(true)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await page.locator('#trend svg').getAttribute('aria-label')).toMatch(
        /^findings that drifted .* at most 5$/,
      )
      expect(await page.locator('#trend figcaption').textContent()).toContain('2 drifted 3 unknown')
      // An opened section stays open when a report arrives.
      storeReport(from, { host: 'web01', controls: { ...CONTROLS, 'drift-03': 'drifted' }, path: 'b.json' })
      await page.locator('#fix tbody th', { hasText: 'drift-03' }).waitFor()
      expect(await page.locator('#rest tbody th').first().isVisible()).toBe(true)
      expect(trouble).toEqual([])
    },
  )
})
