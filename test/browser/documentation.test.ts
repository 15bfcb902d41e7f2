import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { NO_REGISTRY } from '../support/allowed-skips.ts'
import { chromiumMissing } from '../support/chromium.ts'
import { usePages } from '../support/pages.ts'
import { serve } from '../support/web-server.ts'

const PROJECT = join(import.meta.dirname, '../..')
const SITE = join(PROJECT, 'docs/site/dist')
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', html: 'text/html' }
const open = usePages()
const because = chromiumMissing === undefined ? '' : `: ${chromiumMissing}`

describe.skipIf(chromiumMissing)(`in a browser${because}`, () => {
  test('the documentation finds a word and opens a page of the reference', { timeout: 600_000 }, async ({ skip }) => {
    const built = spawnSync(process.execPath, ['scripts/docs.mjs'], { cwd: PROJECT, encoding: 'utf8' })
    skip(/E(NOTFOUND|AI_AGAIN|CONNREFUSED|403)/.test(built.stderr), NO_REGISTRY)
    expect(built.status, built.stderr).toBe(0)
    const { origin } = await serve(({ url = '/' }, response) => {
      const path = url.endsWith('/') ? `${url}index.html` : url.replace(/[?#].*/, '')
      const file = join(SITE, normalize(path))
      if (!existsSync(file)) return response.writeHead(path === '/favicon.ico' ? 204 : 404).end()
      response.setHeader('content-type', TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
      return response.end(readFileSync(file))
    })

    const { page, trouble } = await open(origin, '/')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('dconf_databases')
    await page.locator('#localsearch-list a[href*="/docs/reference/dconf_databases.html"]').first().click()
    await page.getByRole('heading', { level: 1, name: 'dconf_databases' }).waitFor()
    await page.goto(`${origin}/docs/reference/commands/scan.html`)
    expect(await page.locator('pre').textContent()).toContain('--save-plan')
    expect(trouble).toEqual([])
  })
})
