import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import fc from 'fast-check'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import type { RenderOptions } from '../../src/report/format.ts'
import { render } from '../../src/report/formats/html/render.ts'
import { arbitraryRun } from '../support/arbitrary-run.ts'
import { chromiumMissing, type PageSettings, useChromium } from '../support/chromium.ts'
import { fleetRun } from '../support/fleet-run.ts'
import { type Opened, troubleOn } from '../support/pages.ts'
import { largeRun, pageRun, pageTrend } from '../support/page-run.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../support/run.ts'
import { auditRun, SAMPLE_RUNS } from '../support/sample-runs.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { cases } from '../support/soak.ts'
import { serve } from '../support/web-server.ts'

const newPage = useChromium()
const because = chromiumMissing === undefined ? '' : `: ${chromiumMissing}`

interface Opening extends PageSettings, Pick<RenderOptions, 'trend'> {
  readonly hash?: string
}

/** Writes the report into a file and opens that, as people do. */
async function open(run: Run, { hash = '', trend, ...settings }: Opening = {}): Promise<Opened> {
  const path = join(temporaryDirectory(), 'report.html')
  writeFileSync(path, render(run, trend === undefined ? {} : { trend }))
  const url = pathToFileURL(path).href
  const page = await newPage(settings)
  const trouble = troubleOn(page, (requested) => requested.replace(/#.*/, '') === url)
  await page.goto(url + hash)
  return { page, trouble }
}

/** The ids of the resources that are to be seen, in the order of the page. */
async function shownIds(page: Page): Promise<readonly string[]> {
  const names = page.locator('.entry:visible .id')
  return await names.allTextContents()
}

function shown(page: Page): Locator {
  return page.locator('#shown')
}

/** One of the lists to choose from, by its label. */
function choice(page: Page, label: string): Locator {
  return page.locator('#filters').getByLabel(new RegExp(`^${label}`))
}

/** Filters are applied with the next frame. */
async function nextFrame(page: Page): Promise<void> {
  await page.evaluate('new Promise(requestAnimationFrame)')
}

describe.skipIf(chromiumMissing)(`in a browser${because}`, () => {
  test.each(SAMPLE_RUNS)('the page of the %s run loads nothing and complains about nothing', async (_name, run) => {
    const { page, trouble } = await open(run, { trend: pageTrend })
    expect(await page.title()).toMatch(/^(?:Audit|Fix) of web01/)
    expect(trouble).toEqual([])
  })

  test('verdicts, severities, types, controls and policies filter, together with a search', async () => {
    const { page, trouble } = await open(pageRun)
    expect(await shown(page).textContent()).toBe('All 16 resources')
    await page.locator('#filters').getByLabel('drifted').check()
    await expect.poll(() => shown(page).textContent()).toBe('5 of 16 resources')
    await page.locator('#filters').getByLabel('error').check()
    await expect.poll(() => shown(page).textContent()).toBe('7 of 16 resources')
    await page.locator('#filters').getByLabel('critical').check()
    await expect.poll(() => shownIds(page)).toEqual(['file#/etc/shadow', 'file#/etc/ssh/keys/host.key'])
    await page.getByLabel('Search').fill('KEYS absent')
    await expect.poll(() => shownIds(page)).toEqual(['file#/etc/ssh/keys/host.key'])
    await page.getByLabel('Search').fill('no such thing')
    await expect.poll(() => page.locator('#nothing').isVisible()).toBe(true)
    expect(await shown(page).textContent()).toBe('0 of 16 resources')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    expect(await shown(page).textContent()).toBe('All 16 resources')
    await choice(page, 'Type').selectOption('service')
    await expect.poll(() => shownIds(page)).toEqual(['service#sshd', 'service#cron'])
    await choice(page, 'Policy').selectOption('accounts')
    await expect.poll(() => shownIds(page)).toEqual(['service#cron'])
    await page.keyboard.press('Escape')
    await choice(page, 'Control').selectOption('ssh-02')
    await expect.poll(() => shownIds(page)).toEqual(['file#/etc/shadow', 'file#/etc/ssh/keys/host.key'])
    expect(trouble).toEqual([])
  })

  test('a search finds names, properties, values, messages and lines of diffs, but not the labels', async () => {
    const { page } = await open(pageRun)
    const find = async (text: string): Promise<readonly string[]> => {
      await page.getByLabel('Search').fill(text)
      await expect.poll(() => shown(page).textContent()).not.toBe('')
      await nextFrame(page)
      return await shownIds(page)
    }
    expect(await find('/etc/motd')).toEqual(['file#/etc/motd', 'file#/etc/motd'])
    expect(await find('nobody UsePAM')).toEqual(['file#/etc/ssh/sshd_config'])
    expect(await find('password')).toEqual(['file#/etc/app'])
    expect(await find('legal review')).toEqual(['file#/etc/motd', 'file#/etc/issue.net'])
    expect(await find('PermitRootLogin')).toEqual(['file#/etc/ssh/sshd_config'])
    expect(await find('/etc/extra')).toEqual(['apply#extra.yaml › file#/etc/extra'])
    expect(await find('wanted')).toEqual([])
  })

  test('the address keeps the filters, and a link to it shows the same', async () => {
    const { page, trouble } = await open(pageRun)
    await page.locator('#filters').getByLabel('drifted').check()
    await page.locator('#filters').getByLabel('error').check()
    await choice(page, 'Type').selectOption('file')
    await page.getByLabel('Search').fill('etc & keys')
    await expect.poll(() => new URL(page.url()).searchParams.getAll('text')).toEqual(['etc & keys'])
    const { searchParams } = new URL(page.url())
    expect([searchParams.getAll('v'), searchParams.has('order')]).toEqual([['drifted', 'error'], false])
    await page.getByLabel('Search').fill('keys')
    await expect.poll(() => shownIds(page)).toEqual(['file#/etc/ssh/keys/host.key'])
    const text = await shown(page).textContent()
    await page.reload()
    expect([await shown(page).textContent(), await page.getByLabel('Search').inputValue()]).toEqual([text, 'keys'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    expect(new URL(page.url()).search).toBe('')
    expect(trouble.filter((each) => !each.includes('report.html?'))).toEqual([])
  })

  test('tiles filter, say whether they are pressed, and let go', async () => {
    const { page } = await open(pageRun)
    const tile = page.getByRole('button', { name: /^2 waived/ })
    await tile.click()
    expect(await shownIds(page)).toEqual(['file#/etc/motd', 'file#/etc/issue.net'])
    expect(await tile.getAttribute('aria-pressed')).toBe('true')
    await tile.click()
    expect(await shown(page).textContent()).toBe('All 16 resources')
    expect(await tile.getAttribute('aria-pressed')).toBe('false')
  })

  test('new and known findings of a baseline can be filtered', async () => {
    const { page } = await open(pageRun)
    await choice(page, 'Baseline').selectOption('new or changed')
    await expect.poll(() => shownIds(page)).toEqual(['file#/etc/sudoers.d/deploy'])
    await choice(page, 'Baseline').selectOption('unchanged')
    await expect.poll(() => shownIds(page)).toEqual(['file#/etc/login.defs'])
    const { page: plain } = await open(auditRun)
    expect(await choice(plain, 'Baseline').count()).toBe(0)
  })

  test('compliant resources are folded away until a filter asks for them', async () => {
    const { page } = await open(pageRun)
    expect(await page.getByText('file#/etc/passwd', { exact: true }).last().isVisible()).toBe(false)
    await page.locator('#filters').getByLabel('compliant').check()
    await expect
      .poll(() => shownIds(page))
      .toEqual([
        'service#sshd',
        'file#/etc/passwd',
        'apply#extra.yaml › file#/etc/extra',
        'file#/etc/motd',
        'file#/etc/issue',
      ])
    await page.keyboard.press('Escape')
    expect(await page.getByText('file#/etc/passwd', { exact: true }).last().isVisible()).toBe(false)
  })

  test('resources stand worst first, or in the order of the policy', async () => {
    const { page } = await open(auditRun)
    const order = ['shadow', 'host.key', 'sshd_config', 'app', 'shadow-', 'motd', 'sshd']
    const inPolicy = ['sshd_config', 'host.key', 'app', 'shadow', 'shadow-', 'motd', 'sshd']
    const names = async (): Promise<readonly string[]> =>
      (await page.locator('details.entry .id').allTextContents()).map((id) => id.replace(/.*[/#]/, ''))
    expect(await names()).toEqual(order)
    await choice(page, 'Order').selectOption('policy')
    expect(await names()).toEqual(inPolicy)
    await choice(page, 'Order').selectOption('worst')
    expect(await names()).toEqual(order)
  })

  test('the keyboard reaches everything: skip link, sections, tiles, filters, list', async () => {
    const { page, trouble } = await open(pageRun)
    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.closest("summary, button, a, input, select, pre").textContent.trim()')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the findings')
    for (const name of ['Controls', 'Resources', 'Waivers', 'Baseline']) {
      await page.keyboard.press('Tab')
      expect((await focused()).replace(/\s+/g, ' ')).toBe(name)
    }
    // Scores, what to fix first with its commands, and the controls.
    const between: string[] = []
    while (between.length < 60 && (await focused()) !== '16 resources') {
      await page.keyboard.press('Tab')
      between.push(await focused())
    }
    expect(between).toContain('driftgate scan policies/ssh.yaml --fix --only ssh-01')
    for (const name of ['5 compliant', '5 drifted 1 known']) {
      await page.keyboard.press('Tab')
      expect((await focused()).replace(/\s+/g, ' ')).toBe(name)
    }
    await page.keyboard.press('Enter')
    expect(await shown(page).textContent()).toBe('5 of 16 resources')
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.id')).toBe('search')
    await page.keyboard.type('/etc/app')
    await expect.poll(() => shownIds(page)).toEqual(['file#/etc/app'])
    await page.keyboard.press('Escape')
    expect(await shown(page).textContent()).toBe('All 16 resources')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await expect.poll(() => shown(page).textContent()).toBe('5 of 16 resources')
    const summary = page.locator('.entry summary').first()
    await page.keyboard.press('Escape')
    await summary.focus()
    expect(await page.locator('.entry').first().getAttribute('open')).toBe('')
    await page.keyboard.press('Enter')
    expect(await page.locator('.entry').first().getAttribute('open')).toBeNull()
    await page.keyboard.press('Space')
    expect(await page.locator('.entry').first().getAttribute('open')).toBe('')
    expect(trouble).toEqual([])
  })

  test('the keyboard walks through the whole page and its focus is always to be seen', async () => {
    const { page } = await open(pageRun)
    const seen = new Set<string>()
    for (let step = 0; step < 200; step++) {
      await page.keyboard.press('Tab')
      const state: string = await page.evaluate(`(() => {
        const element = document.activeElement
        if (element === document.body) return 'end'
        const shown = element.closest('.chip') ?? element
        const { outlineStyle, outlineWidth } = getComputedStyle(shown)
        return outlineStyle === 'none' || outlineWidth === '0px' ? 'no outline: ' + element.outerHTML : element.tagName
      })()`)
      if (state === 'end') break
      seen.add(state)
    }
    expect([...seen].toSorted()).toEqual(['A', 'BUTTON', 'INPUT', 'PRE', 'SELECT', 'SUMMARY'])
  })

  test('links lead to resources and controls, and unfold them', async () => {
    const { page, trouble } = await open(pageRun)
    await page.getByRole('button', { name: 'Fold all', exact: true }).click()
    await page.locator('.control summary').first().click()
    await page.locator('.control').first().getByRole('link', { name: 'file#/etc/shadow' }).click()
    const target = page.locator('.entry:target')
    expect(await target.locator('.id').textContent()).toBe('file#/etc/shadow')
    expect(await target.getAttribute('open')).toBe('')
    await target.getByRole('link', { name: 'ssh-02' }).click()
    expect(await page.locator('.control:target .id').textContent()).toBe('ssh-02')
    expect(trouble).toEqual([])
  })

  test('an address with a resource opens it, also where it is folded away or filtered out', async () => {
    const { page: first } = await open(pageRun)
    const anchor = await first.locator('.folded .entry').first().getAttribute('id')
    const { page } = await open(pageRun, { hash: `#${anchor}` })
    expect(await page.locator(`#${anchor}`).isVisible()).toBe(true)
    expect(await page.locator(`#${anchor}`).evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(
      900,
    )
    await page.getByLabel('Search').fill('sudoers')
    await expect.poll(() => page.locator(`#${anchor}`).isVisible()).toBe(false)
    const drifted = await page.locator('details.entry').first().getAttribute('id')
    await page.evaluate(`location.hash = '${drifted}'`)
    await expect.poll(() => page.locator(`#${drifted}`).isVisible()).toBe(true)
    expect(await shown(page).textContent()).toBe('All 16 resources')
  })

  test('without scripts everything is to be seen and nothing that needs them', async () => {
    const { page, trouble } = await open(pageRun, { javaScriptEnabled: false, trend: pageTrend })
    expect(await page.locator('#filters').isVisible()).toBe(false)
    expect(await page.getByRole('button').count()).toBe(0)
    for (const text of ['file#/etc/passwd', '+PermitRootLogin no', 'Run chmod 0600', 'cannot connect', 'Resources']) {
      expect(await page.getByText(text).last().isVisible(), text).toBe(true)
    }
    expect(await page.locator('.entry:visible').count()).toBe(16)
    expect(await page.locator('.body:visible').count()).toBe(await page.locator('.body').count())
    expect(trouble).toEqual([])
  })

  /** The policy that Jenkins sends with what a build publishes (DirectoryBrowserSupport). */
  const JENKINS = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"

  test('all text is readable where Jenkins forbids styles and scripts', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': JENKINS })
      response.end(render(pageRun, { trend: pageTrend }))
    })
    const page = await newPage()
    await page.goto(origin)
    const folded = page.locator('details:not([open]) > summary')
    while ((await folded.count()) > 0) await folded.first().click()
    for (const text of ['file#/etc/passwd', '+PermitRootLogin no', 'Run chmod 0600', 'cannot connect', 'Resources']) {
      expect(await page.getByText(text).last().isVisible(), text).toBe(true)
    }
    expect(await page.locator('.entry:visible').count()).toBe(16)
    expect(await page.locator('.body:visible').count()).toBe(await page.locator('.body').count())
  })

  test('paper shows the details of findings and no controls of the screen', async () => {
    const { page } = await open(pageRun, { colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Fold all', exact: true }).click()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.entry .body:visible').count()).toBe(await page.locator('.entry .body').count())
    expect(await page.getByText('+PermitRootLogin no').isVisible()).toBe(true)
    for (const selector of ['#search', 'nav', '#unfold', '.chip']) {
      expect(await page.locator(selector).first().isVisible(), selector).toBe(false)
    }
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(ground).toBe('rgb(255, 255, 255)')
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('a long run is printed with its failing controls, and resources only where they are filtered', async () => {
    const failing = Array.from({ length: 60 }, (_, index) =>
      resourceResult({
        name: `/srv/${index}`,
        verdict: 'drifted',
        drift: [{ property: 'mode', desired: '0600', observed: `0${index}` }],
        controls: [`c-${index}`],
      }),
    )
    const holding = Array.from({ length: 200 }, (_, index) => controlResult({ id: `h-${index}` }))
    const drifted = failing.map(({ id, controls: [own = ''] }) =>
      controlResult({ id: own, title: `Control ${own}`, verdict: 'drifted', remediation: 'Fix it.', resources: [id] }),
    )
    const resources = [...failing, resourceResult({ name: '/alone', verdict: 'drifted' })]
    const { page } = await open(runOf({ policies: [policyResult({ resources, controls: [...drifted, ...holding] })] }))
    const pages = async (): Promise<number> =>
      (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0
    await page.emulateMedia({ media: 'print' })
    expect(await shownIds(page)).toEqual(['file#/alone'])
    expect(await page.locator('.control').getByText('mode: want 0600, found 059').isVisible()).toBe(true)
    expect(await pages()).toBeLessThan(10)
    expect(await page.getByText('h-0', { exact: true }).isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    await page.getByLabel('Search').fill('/srv')
    await expect.poll(() => new URL(page.url()).search).toBe('?text=%2Fsrv')
    await page.emulateMedia({ media: 'print' })
    expect((await shownIds(page)).length).toBe(60)
  })

  test.each([320, 360, 768, 1280, 1920])('at a width of %i nothing runs out of the page', async (width) => {
    const long = 'a'.repeat(400)
    const run = runOf({
      policies: [
        ...pageRun.policies,
        policyResult({
          id: long,
          source: long,
          resources: [
            resourceResult({
              name: `/${long}`,
              verdict: 'drifted',
              drift: [
                { property: long, desired: long, observed: long, note: long, diff: `@@ -1 +1 @@\n-${long}\n+b\n` },
              ],
              actions: [long],
              controls: [long],
              source: { file: long, line: 1, column: 1 },
            }),
            resourceResult({ name: `/${long}/b`, message: long }),
          ],
          controls: [controlResult({ id: long, title: long, description: long, references: { [long]: [long] } })],
        }),
      ],
      ...(pageRun.waivers === undefined ? {} : { waivers: pageRun.waivers }),
      ...(pageRun.baseline === undefined ? {} : { baseline: pageRun.baseline }),
      target: { kind: 'local', hostname: long, os: { id: long, version: long } },
      notes: [long],
      problems: [{ severity: 'error', message: long }],
      exit: { code: 2, reasons: [long] },
    })
    const { page } = await open(run, { width, trend: pageTrend })
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })

  test.each([
    ['light', 'one machine', pageRun],
    ['dark', 'one machine', pageRun],
    ['light', 'twenty machines', fleetRun(20, 40)],
    ['dark', 'twenty machines', fleetRun(20, 40)],
  ] as const)('in the %s scheme every text about %s has the contrast of WCAG AA', async (colorScheme, _what, run) => {
    const { page } = await open(run, { colorScheme, trend: pageTrend })
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
    const ground: string = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(luminance(ground) < 0.5).toBe(colorScheme === 'dark')
    const pairs = (await page.evaluate(TEXT_COLOURS)) as readonly (readonly [string, string, string])[]
    expect(pairs.length).toBeGreaterThan(10)
    const weak = pairs.filter(([ink, paper]) => contrast(ink, paper) < 4.5)
    expect(weak).toEqual([])
  })

  test.each([
    ['light', 'one machine', pageRun],
    ['dark', 'one machine', pageRun],
    ['light', 'twenty machines', fleetRun(20, 40)],
  ] as const)('in the %s scheme the page about %s has no violation that axe finds', async (colorScheme, _what, run) => {
    const { page } = await open(run, { colorScheme, trend: pageTrend })
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
    // The content security policy of the page forbids a script element.
    await page.evaluate(axe.source)
    const violations = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`))',
    )
    expect(violations).toEqual([])
  })

  test.each([390, 1280, 1920])('at a width of %i a matrix of twenty machines runs out of nothing', async (width) => {
    const { page, trouble } = await open(fleetRun(20, 40), { width })
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.locator('.matrix').isVisible()).toBe(true)
    expect(trouble).toEqual([])
  })

  test('shared findings count for each machine, and machines can be filtered', async () => {
    const { page } = await open(fleetRun(20, 40))
    expect(await shown(page).textContent()).toBe('All 800 resources')
    await choice(page, 'Host').selectOption('web02.example.com')
    await expect.poll(() => shown(page).textContent()).toBe('40 of 800 resources')
    // Resources 0 and 30 drift everywhere, with another value on hosts 2, 9 and 16 (every seventh).
    await page.getByLabel('Search').fill('0666')
    await expect
      .poll(() => shownIds(page))
      .toEqual([0, 30].map((index) => `file#/etc/application/configuration-${index}.conf`))
    await choice(page, 'Host').selectOption('web03.example.com')
    await expect.poll(() => shown(page).textContent()).toBe('0 of 800 resources')
  })

  test('20 hosts of 300 resources, no two alike, are at most 15 numbered pages that tear no control', async () => {
    const { page } = await open(fleetRun(20, 300, 'each its own'), { colorScheme: 'dark' })
    const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true })
    const pages = [...pdf.toString('latin1').matchAll(/\/Type\s*\/Page\b/g)].length
    expect(pages).toBeGreaterThan(3)
    expect(pages).toBeLessThanOrEqual(15)
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate(PAGE_MARGINS)).toMatch(/@bottom-right \{.*counter\(page\) " \/ " counter\(pages\)/)
    for (const selector of ['.control', '.entry', '.first > li', '.matrix tr']) {
      const kept = await page.evaluate(`getComputedStyle(document.querySelector('${selector}')).breakInside`)
      expect(kept, selector).toBe('avoid')
    }
  })

  test('10,000 resources are filtered and counted', async () => {
    const { page, trouble } = await open(largeRun(10_000))
    expect(await shown(page).textContent()).toBe('All 10,000 resources')
    await page.getByLabel('Search').fill('file-1234')
    await expect.poll(() => shown(page).textContent()).toBe('1 of 10,000 resources')
    expect(await page.locator('.entry:visible').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.locator('#filters').getByLabel('drifted').check()
    // Of every hundred the 25th, 50th and 75th.
    await expect.poll(() => shown(page).textContent()).toBe('300 of 10,000 resources')
    expect(trouble).toEqual([])
  })
})

/** In the page: the rules for the margins of printed pages. */
const PAGE_MARGINS = `[...document.styleSheets[0].cssRules]
  .flatMap((rule) => (rule.media?.mediaText === 'print' ? [...rule.cssRules] : []))
  .filter((rule) => rule.cssText.startsWith('@page'))
  .map(({ cssText }) => cssText.replace(/\\s+/g, ' '))
  .join('')`

/** Luminance of a colour `rgb(r, g, b)`, as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const value = Number(part) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast ratio of two colours, as WCAG 2.2 defines it. */
function contrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminance(first), luminance(second)].toSorted((left, right) => right - left)
  return (light + 0.05) / (dark + 0.05)
}

/** In the page: the distinct pairs of the colours of a text and of what is behind it, with an example. */
const TEXT_COLOURS = `(() => {
  const pairs = new Map()
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor
      if (!colour.endsWith(', 0)')) return colour
    }
  }
  for (const element of document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (!hasText || !element.checkVisibility() || element.matches('script')) continue
    const pair = [getComputedStyle(element).color, behind(element)]
    pairs.set(pair.join(), [...pair, element.className + ': ' + element.textContent.slice(0, 40)])
  }
  return [...pairs.values()]
})()`

/** Every trick in a place that a machine or a policy can fill. */
const PLANTED: readonly string[] = [
  '<script>alert(1)</script>',
  '</script><script>alert(2)</script>',
  '</style><script>alert(3)</script>',
  '"><img src=x onerror=alert(4)>',
  `' onmouseover='alert(5)`,
  '" autofocus onfocus="alert(6)',
  'javascript:alert(7)',
  '--><svg onload=alert(8)>',
  '&lt;script&gt;alert(9)&lt;/script&gt;&#60;script&#62;',
  '<!--',
  '<![CDATA[<b>]]>',
  '{{constructor.constructor("alert(10)")()}}${alert(11)}',
  '\u2028<script>alert(12)</script>\u2029',
  '</details></section></main><form action=http://planted.example><button>go',
  '<template><script>alert(13)</script></template><noscript><p title="</noscript><img src=x onerror=alert(14)>">',
  '<iframe srcdoc="<script>alert(15)</script>"></iframe><base href=http://planted.example/>',
  '<meta http-equiv=refresh content="0;url=http://planted.example">',
]

function plantedResource(text: string, verdict: ResourceResult['verdict']): ResourceResult {
  return resourceResult({
    id: text,
    type: text,
    name: text,
    alias: text,
    provider: text,
    verdict,
    ...(verdict === 'compliant'
      ? {}
      : {
          drift: [
            { property: text, desired: text, observed: text, note: text, diff: `@@ -1 +1 @@\n-${text}\n+${text}\n` },
          ],
          unknown: [{ property: text, reason: 'command', detail: text }],
          errors: [text],
          blockedBy: [text],
          warnings: [text],
          output: text,
          actions: [text],
          health: [{ name: text, status: 'CRITICAL', attempts: [{ status: 'CRITICAL', output: text, durationMs: 1 }] }],
          tags: [text],
        }),
    message: text,
    controls: [text],
    source: { file: text, line: 1, column: 1 },
  })
}

describe.skipIf(chromiumMissing)(`hostile text in a browser${because}`, () => {
  test.each(PLANTED)('%j stays text', async (text) => {
    const control = controlResult({
      id: text,
      title: text,
      description: text,
      remediation: text,
      references: { [text]: [text, `https://planted.example/"><script>alert(16)</script>`, 'javascript:alert(17)'] },
      tags: [text],
      resources: [text],
    })
    const resources = (['drifted', 'error', 'blocked', 'compliant'] as const).map((it) => plantedResource(text, it))
    const run = runOf({
      policies: [policyResult({ id: text, title: text, version: text, source: text, resources, controls: [control] })],
      tool: { name: 'driftgate', version: text },
      target: { kind: 'local', hostname: text, os: { id: text, version: text } },
      exit: { code: 2, reasons: [text] },
      problems: [{ severity: 'error', message: text, sourceLine: text, position: { file: text, line: 1, column: 3 } }],
      notes: [text],
    })
    const { page, trouble } = await open(run)
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
    await page.getByLabel('Search').fill('alert')
    await nextFrame(page)
    expect(trouble).toEqual([])
    // The elements that the page is made of, and no other; links lead into the page or to the web.
    expect(await page.locator('script').count()).toBe(1)
    expect(await page.locator('style').count()).toBe(1)
    expect(
      await page
        .locator('img, iframe, base, template, noscript, b:not(.health, .tile b, .severities b, .scores b), object')
        .count(),
    ).toBe(0)
    const links: readonly string[] = await page
      .locator('a')
      .evaluateAll((all) => all.map((it) => it.getAttribute('href') ?? ''))
    expect(links.filter((link) => !/^(?:#[\w-]+|https?:)/.test(link))).toEqual([])
    const visible = text.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`)
    expect(await page.locator('.entry .id').first().textContent()).toBe(visible)
    expect(await page.locator('h1').textContent()).toBe(`Audit of ${visible}`)
  })

  test('any text of a run comes out of the parser of a browser as text alone', async () => {
    const page = await newPage()
    await fc.assert(
      fc.asyncProperty(arbitraryRun, async (run) => {
        const html = render(run, {})
        const read = (await page.evaluate(`(${READ_DOCUMENT})(${JSON.stringify(html)})`)) as {
          elements: string[]
          attributes: string[]
          html: string
        }
        expect(read.elements.filter((name) => !ELEMENTS.has(name))).toEqual([])
        expect(read.attributes.filter((name) => !ATTRIBUTES.has(name))).toEqual([])
        // Nothing had to be repaired: written out again it is what was read.
        expect(normalized(read.html)).toBe(normalized(withoutShorthands(html)))
      }),
      { numRuns: cases({ usual: 10, soak: 60 }) },
    )
  })
})

const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'html head meta title style body a div header p span h1 h2 h3 time nav main section svg rect g ul ol li b small pre code em ' +
    'details summary table thead tbody tr th td dl dt dd form label input kbd fieldset legend select option button script'
  ).split(' '),
)

const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'lang charset http-equiv content name class href id data-v data-s data-t data-c data-b data-i data-p data-h data-tone ' +
    'aria-labelledby aria-label aria-hidden hidden open role tabindex datetime viewBox preserveAspectRatio x y width height fill ' +
    'data-label scope colspan type for placeholder spellcheck title value autocomplete rel'
  ).split(' '),
)

/** In the page: reads a document without running it. */
const READ_DOCUMENT = `(html) => {
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  const elements = [...parsed.querySelectorAll('*')]
  return {
    elements: [...new Set(elements.map(({ localName }) => localName))],
    attributes: [...new Set(elements.flatMap((element) => element.getAttributeNames()))],
    html: parsed.documentElement.outerHTML,
  }
}`

/** The page as a browser writes it: void elements without a slash, no document type, what follows the body inside it. */
function withoutShorthands(html: string): string {
  return html
    .replace('<!doctype html>\n<html lang="en">\n', '<html lang="en">')
    .replaceAll(/<rect ([^>]*)\/>/g, '<rect $1></rect>')
    .replaceAll('"/>', '">')
    .replace('\n</body>\n</html>\n', '\n\n\n</body></html>')
}

/** Characters that a browser writes with and without a name, by where they stand. */
function normalized(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&nbsp;', '\u00a0')
}
