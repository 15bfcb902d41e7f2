import { describe, expect, test } from 'vitest'
import { storedRollout, storeRollout } from '../../src/fleet/nats/rollouts.ts'
import { wishOf } from '../../src/fleet/rollout/wish.ts'
import { type RolloutFleet, startRolloutFleet } from '../fleet/rollout/support.ts'
import { chromiumMissing } from '../support/chromium.ts'
import { needsNats } from '../support/nats-server.ts'
import { brightness, HOSTILE, usePages } from '../support/pages.ts'
import { startServing } from '../support/serving.ts'

const open = usePages()
const missing = chromiumMissing ?? needsNats
const because = missing === undefined ? '' : `: ${missing}`

const operator = { by: 'operator', reason: '' }

/** Where the built command shows the fleet, and with `--release` gives each ring its turn. */
async function serve({ directory, roster }: RolloutFleet, ...more: readonly string[]): Promise<string> {
  const given = ['--context', 'fleet/viewer/context.json', '--roster', roster, ...more]
  return (await startServing(given, { cwd: directory })).address
}

describe.skipIf(missing)(`the page of a rollout in a browser${because}`, () => {
  test('shows how it begins, is awaited, stops and is finished, without a reload', async () => {
    const fleet = await startRolloutFleet({ web02: 'canary' })
    await fleet.begin(await fleet.publish('good'))
    await wishOf(fleet.line, 'finish', operator)
    for (const name of ['web01', 'web02']) await fleet.turn(name)
    const [reason = '', author = ''] = HOSTILE
    await fleet.begin(await fleet.publish('broken'), { reason, author })

    const address = await serve(fleet, '--release')
    const { page, trouble } = await open(address, '/')
    await page.getByRole('link', { name: 'Rollout', exact: true }).click()
    const chip = page.locator('.result .chip')
    const ring = (number: number) => page.locator('#rings tbody tr').nth(number).locator('th, td').allTextContents()
    await page.locator('#ring-canary', { hasText: '1 host awaited: web02' }).waitFor()
    expect([await chip.textContent(), await page.title()]).toEqual([
      'in progress',
      expect.stringMatching(/^Rollout in progress/),
    ])
    expect((await ring(0)).slice(0, 2)).toEqual(['canary', '1'])
    expect((await ring(1)).slice(0, 2)).toEqual(['rest', '1'])

    await page.evaluate('window.isSame = true')
    await fleet.turn('web02')
    await page.locator('.result .chip', { hasText: 'stopped' }).waitFor()
    expect(await page.locator('#ring-canary').textContent()).toContain('with new unknown results')
    expect(await page.evaluate('window.isSame')).toBe(true)
    expect(await page.locator('#content').textContent()).toContain(reason)
    expect(await page.locator('#content').textContent()).toContain(author)

    await wishOf(fleet.line, 'finish', { by: HOSTILE[2] ?? '', reason: HOSTILE[3] ?? '' })
    await page.locator('.result .chip', { hasText: 'done' }).waitFor()
    expect(await page.locator('#content').textContent()).toContain(
      `released to all rings: ${HOSTILE[3]} by ${HOSTILE[2]}`,
    )
    expect(await page.locator('img, main script').count()).toBe(0)
    expect(trouble).toEqual([])
  })

  test('stays text and fits with any content of an unsigned document, light and dark, wide and narrow', async () => {
    const fleet = await startRolloutFleet({ web02: 'canary' })
    const address = await serve(fleet)
    const { page: before } = await open(address, '/')
    await before.locator('#live', { hasText: 'Live' }).waitFor()
    expect(await before.locator('#places').textContent()).not.toContain('Rollout')
    await fleet.begin(await fleet.publish('good'))
    await before.locator('#places', { hasText: 'Rollout' }).waitFor()
    const { rollout, sequence } = await storedRollout(fleet.line)
    if (rollout === undefined) throw new Error('no rollout')
    const long = HOSTILE.join('') + 'w'.repeat(3_000)
    const hostile = {
      ...rollout,
      reason: long,
      author: long,
      policies: rollout.policies.map((policy) => ({ ...policy, name: long })),
      last: { at: '0001-01-01T00:00:00Z', by: long, what: long },
      rings: rollout.rings.map((ring, at) => ({ ...ring, name: `${'r'.repeat(62)}${at}` })),
      phase: 'paused',
    } as const
    expect(await storeRollout(fleet.line, hostile, sequence)).toBe(true)
    await before.getByRole('link', { name: 'Rollout' }).click()
    await before.locator('.result .chip', { hasText: 'paused' }).waitFor()
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 360],
      ['dark', 360],
    ] as const) {
      const { page, trouble } = await open(address, '/rollout', { colorScheme, width })
      await page.locator('#live', { hasText: 'Live' }).waitFor()
      expect(await page.locator('.result .chip').textContent()).toBe('paused')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      const [ground, text] = await page.evaluate<[string, string]>(
        '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
      )
      expect(brightness(ground) > brightness(text)).toBe(colorScheme === 'light')
      expect(await page.locator('img, main script').count()).toBe(0)
      expect(trouble).toEqual([])
    }
  })

  test('without scripts and without a mouse it leads to the hosts that are awaited', async () => {
    const fleet = await startRolloutFleet({ web02: 'canary' })
    await fleet.begin(await fleet.publish('good'))
    const { page, trouble } = await open(await serve(fleet, '--release'), '/rollout', {
      javaScriptEnabled: false,
      width: 360,
    })
    await expect.poll(() => page.reload().then(() => page.locator('#ring-canary a').count())).toBe(1)
    const focused = (): Promise<string | null> => page.locator(':focus').textContent()
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press('Tab')
      if ((await focused()) === 'web02') break
    }
    expect(await focused()).toBe('web02')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: 'web02' }).waitFor()
    expect(trouble).toEqual([])
  })
})
