import { readFileSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { asOperator, startAgentFleet, wanting } from '../support/agent-fleet.ts'
import { chromiumMissing } from '../support/chromium.ts'
import { storeReport, viewFleet } from '../support/fleet-view.ts'
import { run } from '../support/fleet-parts.ts'
import { needsNats } from '../support/nats-server.ts'
import { HOSTILE, usePages } from '../support/pages.ts'
import { startServing } from '../support/serving.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const open = usePages()
const because = chromiumMissing === undefined ? '' : `: ${chromiumMissing}`

const HOUR = 3_600_000
const [OLD, NEW] = ['a'.repeat(64), 'b'.repeat(64)]

/** web01 went over to the new text an hour ago; web02 has the old one. */
function store(from: string, policy = 'site'): void {
  storeReport(from, { host: 'web01', policy, sha256: OLD, agoMs: 2 * HOUR })
  storeReport(from, { host: 'web01', policy, sha256: NEW, agoMs: HOUR })
  storeReport(from, { host: 'web02', policy, sha256: OLD, agoMs: 3 * HOUR })
}

async function view(from: string): Promise<string> {
  return (await viewFleet({ from })).address.replace(/\/$/, '')
}

describe.skipIf(chromiumMissing)(`the page of the audit in a browser${because}`, () => {
  test('tells which version is in force where, who went over to it when, and leads to those hosts', async () => {
    const from = temporaryDirectory()
    store(from)
    const address = await view(from)
    const { page, trouble } = await open(address, '/audit', { javaScriptEnabled: false })
    const rows = async (id: string): Promise<readonly (readonly string[])[]> =>
      Promise.all((await page.locator(`#${id} tbody tr`).all()).map((row) => row.locator('> *').allTextContents()))
    expect((await rows('texts')).map((row) => row.slice(0, 3))).toEqual([
      ['site', NEW.slice(0, 12), '1 host'],
      ['site', OLD.slice(0, 12), '1 host'],
    ])
    expect((await rows('changes')).map((row) => row.slice(0, 4))).toEqual([
      ['web01', 'site', NEW.slice(0, 12), OLD.slice(0, 12)],
      ['web01', 'site', OLD.slice(0, 12), '\u2013'],
      ['web02', 'site', OLD.slice(0, 12), '\u2013'],
    ])
    await page.locator('#texts tbody tr').first().getByRole('link', { name: '1 host' }).click()
    expect(await page.locator('tbody th').allTextContents()).toEqual(['web01'])
    await page.goBack()
    await page.locator('#texts').getByRole('link', { name: 'site' }).first().click()
    expect(new URL(page.url()).search).toBe('?policy=site')
    expect(await page.locator('#changes tbody tr').count()).toBe(3)
    expect(trouble).toEqual([])
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('names of policies and hosts stay text and fit, %s and %i pixels wide', async (colorScheme, width) => {
    const from = temporaryDirectory()
    const name = HOSTILE.join('') + 'w'.repeat(500)
    store(from, name)
    storeReport(from, { host: name, policy: name, sha256: NEW })
    const address = await view(from)
    for (const path of ['/', '/hosts', '/controls']) {
      const { page } = await open(address, path, { colorScheme, width })
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width])
    }
    const { page, trouble } = await open(address, '/audit', { colorScheme, width })
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.locator('#changes tbody tr').count()).toBe(4)
    expect(await page.locator('img, main script').count()).toBe(0)
    expect(trouble).toEqual([])
  })

  test.skipIf(needsNats).each([1280, 360])(
    'acts appear as they were signed, without a reload, and unproved ones are marked, %i pixels wide',
    async (width) => {
      const fleet = await startAgentFleet()
      const reason = `${HOSTILE.join('')} for web01`
      writeFileSync(fleet.path('site.json'), wanting(fleet, 'site', 'absent'))
      const [sha256 = ''] = (await run(fleet, 'publish', 'site.json')).split(' ')
      const assign = (to: string, why: string) => run(fleet, 'assign', '--to', to, '--policy', sha256, '--reason', why)
      await assign('ring.all', 'first')
      const given = ['--context', 'fleet/viewer/context.json', '--roster', 'fleet/operator/roster.yaml']
      const { address } = await startServing(given, { cwd: fleet.cwd })
      const { page, trouble } = await open(address, '/audit', { width })
      const rows = async (): Promise<readonly (readonly string[])[]> =>
        Promise.all((await page.locator('#acts tbody tr').all()).map((row) => row.locator('> *').allTextContents()))
      await page.locator('#acts').waitFor()
      const [last] = await rows()
      expect(last?.slice(0, 2)).toEqual(['assign', `ring.all: version 1: site ${sha256}; first`])

      await page.locator('#live', { hasText: 'Live' }).waitFor()
      await asOperator(fleet.cwd, async (line) => {
        await line.ask('dg.v1.audit.assign', { body: '{}', timeoutMs: 5000 })
      })
      await assign('host.web01', reason)
      await page.locator('#acts', { hasText: 'host.web01' }).waitFor()
      const [newest, forged] = await rows()
      expect(newest?.[1]).toContain(`; ${HOSTILE[0]}`)
      expect(forged?.slice(0, 2)).toEqual(['not verified', 'dg.v1.audit.assign: the envelope is not a DSSE envelope'])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await page.locator('img, main script').count()).toBe(0)

      await page.goto(`${address}/audit?host=web01`)
      expect((await rows()).map(([act]) => act)).toEqual(['assign', 'not verified', 'enrol'])
      const document: unknown = await (await fetch(`${address}/api/audit`)).json()
      expect(document).toMatchObject({
        acts: [{ entry: { about: 'host.web01' } }, { refused: expect.any(String) }, {}, {}, {}],
      })
      const schema = JSON.parse(readFileSync(new URL('../../schemas/fleet.schema.json', import.meta.url), 'utf8'))
      const ajv = new Ajv2020({ formats: { 'date-time': true } })
      expect([ajv.validate(schema, document), ajv.errors]).toEqual([true, null])
      expect(trouble).toEqual([])
    },
  )

  test('a host that goes over to another version is there without a reload, and the focus stays', async () => {
    const from = temporaryDirectory()
    store(from)
    const { page } = await open(await view(from), '/audit')
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent.trim()')
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press('Tab')
      if ((await focused()) === 'web02') break
    }
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.evaluate('window.isSame = true')
    storeReport(from, { host: 'web02', sha256: NEW })
    await page.locator('#texts tbody tr', { hasText: '2 hosts' }).waitFor()
    expect(await page.locator('#changes tbody tr').count()).toBe(4)
    expect(await page.evaluate('window.isSame')).toBe(true)
    await expect.poll(focused).toBe('web02')
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: 'web02' }).waitFor()
  })

  test('changes from before the page began to listen are shown, too', async () => {
    const from = temporaryDirectory()
    store(from)
    const address = await view(from)
    const { page } = await open(address, '/audit')
    // What this page asks is over before those of the next one are held back.
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    const asked = new Promise<Route>((resolve) => void page.route('**/events', resolve))
    await page.reload()
    storeReport(from, { host: 'web02', sha256: NEW })
    await expect.poll(async () => (await fetch(`${address}/audit`)).text(), { timeout: 10_000 }).toContain('2 hosts')
    await (await asked).continue()
    await page.locator('#texts tbody tr', { hasText: '2 hosts' }).waitFor({ timeout: 10_000 })
  })

  test('of 250 changes a page has 100, and the ways to the others', async () => {
    const from = temporaryDirectory()
    for (let host = 0; host < 250; host++) {
      storeReport(from, { host: `host-${String(host).padStart(3, '0')}`, agoMs: host * 60_000 })
    }
    const { page } = await open(await view(from), '/audit?policy=site')
    expect(await page.locator('.paging').textContent()).toContain('1\u2013100 of 250')
    await page.getByRole('link', { name: 'Last' }).click()
    expect(await page.locator('#changes tbody th').last().textContent()).toBe('host-249')
    expect(new URL(page.url()).searchParams.get('policy')).toBe('site')
  })
})
