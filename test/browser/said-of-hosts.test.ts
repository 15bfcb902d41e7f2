import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Sender } from '../../src/fleet/messages/sender.ts'
import { loginOfContext } from '../../src/fleet/nats/connect.ts'
import { sendingHost } from '../fleet/sending-host.ts'
import { startTestFleet, type TestFleet } from '../fleet/support.ts'
import { chromiumMissing } from '../support/chromium.ts'
import { viewFleet } from '../support/fleet-view.ts'
import { needsNats } from '../support/nats-server.ts'
import { HOSTILE, usePages } from '../support/pages.ts'

const open = usePages()
const missing = chromiumMissing ?? needsNats
const because = missing === undefined ? '' : `: ${missing}`

const SHA256 = 'c'.repeat(64)

/** The address of a view of what the server has. */
async function view({ fleet }: TestFleet): Promise<string> {
  const from = loginOfContext(join(fleet, 'viewer/context.json'))
  const { address } = await viewFleet({ from, rosterFile: join(fleet, 'operator/roster.yaml') })
  return address.replace(/\/$/, '')
}

/** Lets the host report with this, the newest run so long ago, while the whole reports of two days have to wait. */
async function reportWith(fleet: TestFleet, sender: Sender, newestHoursAgo = 1): Promise<void> {
  const host = await sendingHost(fleet)
  const none = new Set<number>()
  await host.scan(200, none)
  await host.send({ sender })
  for (const hours of [49, 39, 2, 1]) await host.scan(hours + newestHoursAgo, new Set([hours]))
  await host.scan(newestHoursAgo, none)
  expect(await host.send({ sender, mostEvidence: 0 })).toMatchObject({ counts: { full: 1, delta: 2 }, waiting: 2 })
}

describe.skipIf(missing)(`self-descriptions of hosts in a browser${because}`, () => {
  test('are on the page of the host, and queued and lost runs on the page of silence', async () => {
    const fleet = await startTestFleet()
    const nextDue = new Date(Date.now() + 2.5 * 3_600_000).toISOString()
    await reportWith(fleet, { version: '1.4.0', nextDue, assignment: { to: 'ring.all', version: 3, sha256: SHA256 } })
    const address = await view(fleet)
    const { page, trouble } = await open(address, '/host?name=web01')
    expect(await page.locator('#said dt').allTextContents()).toEqual([
      'driftgate',
      'Assignment',
      'Next run',
      'Queued runs',
      'Lost runs',
    ])
    const [version, assignment, due, waiting, lost] = await page.locator('#said dd').allTextContents()
    expect([version, assignment, waiting, lost]).toEqual([
      '1.4.0',
      `ring.all, version 3 ${SHA256.slice(0, 12)}`,
      '2 runs',
      'no runs',
    ])
    expect(due).toMatch(/^in 2h (29|30)m$/)
    const { page: silence } = await open(address, '/silence')
    expect(await silence.locator('#unsent tbody tr > *').allTextContents()).toEqual([
      'web01',
      '0',
      '2',
      expect.stringMatching(/ago$/),
    ])
    expect(trouble).toEqual([])
  })

  test.each([1280, 360])('stay text, fit %i pixels, and do not improve a presence', async (width) => {
    const fleet = await startTestFleet()
    const [version = '', to = ''] = HOSTILE
    const long = 'w'.repeat(150)
    const assignment = { to: to + long, version: Number.MAX_SAFE_INTEGER, sha256: SHA256 }
    await reportWith(fleet, { version: version + long, nextDue: '9999-12-31T00:00:00Z', assignment }, 3)
    const address = await view(fleet)
    for (const path of ['/', '/host?name=web01', '/silence']) {
      const { page, trouble } = await open(address, path, { width })
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width])
      expect(await page.locator('img, main script').count()).toBe(0)
      expect([path, ...trouble]).toEqual([path])
    }
    const { page } = await open(address, '/host?name=web01', { javaScriptEnabled: false })
    expect(await page.locator('#said').textContent()).toContain(version)
    const { page: fleetPage } = await open(address, '/')
    expect(await fleetPage.locator('#missing tbody th').allTextContents()).toEqual(['web01'])
  })
})
