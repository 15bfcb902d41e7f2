import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../src/model/unified-diff.ts'
import type { Order } from '../../src/fleet/orders/order.ts'
import { orderPage } from '../../src/fleet/web/order-page.ts'
import { chromiumMissing, useChromium } from '../support/chromium.ts'
import { HOSTILE } from '../support/pages.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const open = useChromium()
const because = chromiumMissing === undefined ? '' : `: ${chromiumMissing}`

/** Every text that tries to be more than text, in one line. */
const TEXT = HOSTILE.join(' ')
const digest = { sha256: 'ab'.repeat(32), sizeBytes: 40 }
const sshd = unifiedDiff(`Port 22\nPermitRootLogin yes\n${TEXT}\n`, 'Port 22\nPermitRootLogin no\n')
const ORDER: Order = {
  schema: 'driftgate.order/v1',
  id: '0b6f2c1e-9f7a-4c1e-8a53-2f6a1f0f9d11',
  policy: { name: 'site', sha256: 'a'.repeat(64) },
  fixes: [
    {
      hosts: ['web01', 'web02'],
      findings: [
        {
          id: 'file#/etc/ssh/sshd_config',
          risk: 'a wrong line locks out whoever logs in through ssh',
          drift: [
            { property: 'content', desired: digest, observed: digest, diff: sshd },
            { property: 'mode', desired: '0600', observed: '0666' },
          ],
        },
      ],
      follows: [{ id: 'service#ssh', actions: ['Would restart'] }],
    },
    {
      hosts: ['db01'],
      findings: [{ id: `file#/etc/${TEXT}`, drift: [{ property: 'ensure', desired: 'absent', observed: TEXT }] }],
      follows: [],
    },
  ],
  notBefore: '2026-11-25T10:00:00.000Z',
  expires: '2026-11-25T18:00:00.000Z',
  reason: 'CHG-1234 root login',
  author: 'anna',
  at: '2026-11-25T10:00:00.000Z',
}

describe.skipIf(chromiumMissing)(`an order in a browser${because}`, () => {
  test.each([1280, 360])('shows per host and resource what becomes of what, %i pixels wide', async (width) => {
    const file = join(temporaryDirectory(), 'order.html')
    writeFileSync(file, orderPage(ORDER, ['the operator', TEXT]))
    const page = await open({ width })
    const trouble: string[] = []
    page.on('pageerror', (error) => trouble.push(error.message))
    page.on('dialog', () => trouble.push('a dialog'))
    page.on('request', (request) => request.url() === pathToFileURL(file).href || trouble.push(request.url()))
    await page.goto(pathToFileURL(file).href)
    expect(await page.locator('h2').allTextContents()).toEqual(['web01, web02', 'db01'])
    const rows: string[][] = []
    for (const row of await page.locator('#fix-0 tbody tr').all())
      rows.push((await row.locator('th, td').allTextContents()).map((text) => text.split('\n', 1).join('')))
    expect(rows).toEqual([
      ['file#/etc/ssh/sshd_config', 'content', 'PermitRootLogin yes', 'PermitRootLogin no'],
      ['file#/etc/ssh/sshd_config', 'mode', '0666', '0600'],
    ])
    expect(await page.locator('#fix-0').textContent()).toContain('service#ssh may follow: Would restart')
    expect(await page.locator('#fix-0 .caution').textContent()).toContain('is risky')
    expect(await page.locator('table').allTextContents().then(String)).not.toContain('abab')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(trouble).toEqual([])
  })
})
