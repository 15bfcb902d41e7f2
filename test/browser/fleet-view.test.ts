import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumMissing } from '../support/chromium.ts'
import { storeReport, viewFleet, type Viewing } from '../support/fleet-view.ts'
import { brightness, HOSTILE, usePages } from '../support/pages.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const open = usePages()
const because = chromiumMissing === undefined ? '' : `: ${chromiumMissing}`

const view = (viewing: Viewing): Promise<string> => viewFleet(viewing).then(({ address }) => address.replace(/\/$/, ''))

const PATHS = [
  '/',
  '/hosts',
  '/controls',
  '/trends',
  '/silence',
  '/audit',
  '/host?name=web01',
  '/control?policy=site&name=site-01',
]

/** A small fleet: one drifts, one is silent, one was never heard of, one is fine. */
function smallFleet(): Viewing {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', controls: { 'site-01': 'drifted', 'site-02': 'error' } })
  storeReport(from, { host: 'web01', controls: { 'site-01': 'drifted', 'site-02': 'compliant' }, agoMs: 3_600_000 })
  storeReport(from, { host: 'web02' })
  storeReport(from, { host: 'web03', agoMs: 3 * 86_400_000 })
  const rosterFile = join(temporaryDirectory(), 'hosts.yaml')
  writeFileSync(rosterFile, 'hosts: [{ name: web01, labels: { role: web } }, web02, web03, db01]\n')
  return { from, rosterFile }
}

describe.skipIf(chromiumMissing)(`the web view in a browser${because}`, () => {
  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('every page complains about nothing, %s and %i pixels wide, and fits', async (colorScheme, width) => {
    const address = await view(smallFleet())
    for (const path of PATHS) {
      const { page, trouble } = await open(address, path, { colorScheme, width })
      await page.locator('#live', { hasText: 'Live' }).waitFor()
      expect([path, ...trouble]).toEqual([path])
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width])
      const [ground, text] = await page.evaluate<[string, string]>(
        '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
      )
      expect(brightness(ground) > brightness(text)).toBe(colorScheme === 'light')
    }
  })

  test('the first screen says whether the fleet is fine, who is missing and what is the worst', async () => {
    const { page } = await open(await view(smallFleet()), '/')
    expect(await page.title()).toContain('Not compliant: 3 of 4 hosts')
    expect(await page.locator('h1').textContent()).toBe('Fleet not compliant')
    expect(await page.locator('#missing tbody th').allTextContents()).toEqual(['db01', 'web03'])
    expect(await page.locator('#worst-controls tbody th').first().textContent()).toContain('site-01')
    expect(await page.locator('#worst-hosts tbody th').allTextContents()).toEqual(['web01role=web '])
    for (const tile of await page.locator('.tile').all()) {
      const [number, to] = [await tile.locator('b').textContent(), await tile.getAttribute('href')]
      const { page: list } = await open(new URL(page.url()).origin, to ?? '')
      expect(await list.locator('tbody tr').count()).toBe(Number(number))
    }
  })

  test('a host that goes silent, and a run that comes, change the page without a reload', async () => {
    const from = temporaryDirectory()
    storeReport(from, { host: 'web01' })
    const address = await view({ from, intervalMs: 1_500 })
    const { page, trouble } = await open(address, '/')
    await page.evaluate('window.isSame = true')
    await page.locator('h1', { hasText: 'Fleet compliant' }).waitFor()
    await page.locator('#missing tbody th', { hasText: 'web01' }).waitFor()
    expect(await page.locator('h1').textContent()).toBe('Fleet not compliant')
    storeReport(from, { host: 'web02', controls: { 'site-01': 'drifted' } })
    await page.locator('#worst-hosts tbody th', { hasText: 'web02' }).waitFor()
    expect(await page.evaluate('window.isSame')).toBe(true)
    expect(trouble).toEqual([])
  })

  test('names and values of hosts stay text on every page', async () => {
    const from = temporaryDirectory()
    for (const [index, host] of HOSTILE.entries()) {
      storeReport(from, { host, policy: HOSTILE[index] ?? '', controls: { [host]: 'drifted' } })
    }
    writeFileSync(join(from, '<img src=x onerror=alert(6)>.json'), '{')
    const address = await view({ from })
    const { page, trouble } = await open(address, '/hosts')
    expect(await page.locator('tbody tr').count()).toBe(HOSTILE.length)
    const links = await page.locator('tbody th a').evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    const names: (string | null)[] = []
    for (const link of links) {
      const opened = await open(address, link ?? '')
      names.push(new URL(opened.page.url()).searchParams.get('name'))
      expect(await opened.page.locator('#fix tbody tr').count()).toBe(1)
      expect(opened.trouble).toEqual([])
      const control = await opened.page.locator('#fix tbody th a').getAttribute('href')
      const onControl = await open(address, control ?? '')
      expect(await onControl.page.locator('#places tbody tr').count()).toBe(1)
      expect(onControl.trouble).toEqual([])
    }
    expect(new Set(names)).toEqual(new Set(HOSTILE))
    for (const path of [
      '/',
      '/controls',
      '/silence',
      '/audit',
      `/hosts?q=${encodeURIComponent('"><script>alert(7)</script>')}`,
    ]) {
      const opened = await open(address, path)
      expect(await opened.page.locator('img, main script').count()).toBe(0)
      expect(opened.trouble).toEqual([])
    }
    expect(trouble).toEqual([])
  })

  test('without scripts everything can be read, filtered and paged through', async () => {
    const address = await view(smallFleet())
    const { page, trouble } = await open(address, '/hosts', { javaScriptEnabled: false })
    await page.getByLabel('Answer').selectOption('drifted')
    await page.getByRole('button', { name: 'Filter' }).click()
    expect(await page.locator('tbody th').allTextContents()).toEqual(['web01role=web '])
    expect(new URL(page.url()).searchParams.get('answer')).toBe('drifted')
    await page.getByTitle('Remove filter').click()
    expect(await page.locator('tbody tr').count()).toBe(4)
    await page.getByRole('link', { name: 'web01' }).click()
    expect(await page.locator('#history tbody tr').count()).toBe(2)
    expect(trouble).toEqual([])
  })

  test('the keyboard alone reaches everything, with the focus to be seen, and a change does not take it away', async () => {
    const viewing = smallFleet()
    const { page } = await open(await view(viewing), '/')
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent.trim()')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    const seen: string[] = []
    for (let step = 0; step < 12 && seen.at(-1) !== 'db01'; step++) {
      await page.keyboard.press('Tab')
      seen.push(await focused())
    }
    expect(seen.at(-1)).toBe('db01')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    storeReport(viewing.from, { host: 'db01', controls: { 'site-01': 'drifted' } })
    await page.locator('#worst-hosts tbody th', { hasText: 'db01' }).waitFor()
    await expect.poll(focused).toBe('db01')
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: 'db01' }).waitFor()
  })

  test('a source that cannot be read any more is said on the page that is open', async () => {
    const viewing = smallFleet()
    const { page } = await open(await view(viewing), '/controls')
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    rmSync(viewing.from, { recursive: true })
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/^Cannot read the reports in .*, since 20.* UTC/)
  })

  test('that the view itself is gone is said, too', async () => {
    const { address, end } = await viewFleet(smallFleet())
    const { page } = await open(address, '')
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    await end()
    await page.locator('#live', { hasText: 'Not live since' }).waitFor()
  })

  test('paper has the tables without what is for the screen', async () => {
    const { page } = await open(await view(smallFleet()), '/hosts')
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('nav, .filters').filter({ visible: true }).count()).toBe(0)
    expect(await page.locator('tbody tr').filter({ visible: true }).count()).toBe(4)
  })

  test('of 10,000 hosts a page has 100, and the ways to the others', async () => {
    const from = temporaryDirectory()
    for (let host = 0; host < 10_000; host++) {
      const verdict = host % 4 === 0 ? 'drifted' : 'compliant'
      storeReport(from, { host: `host-${String(host).padStart(5, '0')}`, controls: { 'site-01': verdict } })
    }
    const { page, trouble } = await open(await view({ from }), '/hosts')
    expect(await page.locator('tbody tr').count()).toBe(100)
    expect(await page.locator('.paging').textContent()).toContain('1\u2013100 of 10,000')
    await page.getByRole('link', { name: 'Last' }).click()
    expect(await page.locator('tbody th').last().textContent()).toBe('host-09999')
    await page.getByRole('link', { name: 'Previous' }).click()
    expect(new URL(page.url()).searchParams.get('page')).toBe('99')
    await page.goto(page.url().replace(/\?.*/, '?answer=drifted'))
    expect(await page.locator('.result').textContent()).toBe('2,500 hosts of 10,000')
    expect(trouble).toEqual([])
  })
})
