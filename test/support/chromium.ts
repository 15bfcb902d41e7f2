import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

const CHROMIUM = '/usr/bin/chromium'

/** CI installs the package for its run as root, so there a test that could not run is a failure. */
const isExpected = process.env['CI'] !== undefined && process.geteuid?.() === 0

/** Why tests that need a browser are skipped, or undefined where it is installed (Debian package chromium). */
export const chromiumMissing: string | undefined =
  existsSync(CHROMIUM) || isExpected ? undefined : 'chromium is not installed'

/** A browser without network of its own, and without the sandbox that root cannot have. */
const ARGUMENTS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

/** How a page is opened beside the browser's defaults. */
export interface PageSettings {
  readonly colorScheme?: 'light' | 'dark'
  readonly javaScriptEnabled?: boolean
  readonly width?: number
}

/**
 * One browser for all tests of a file, with a profile of its own that goes with it. The function gives a fresh page, which
 * goes with the test.
 */
export function useChromium(): (settings?: PageSettings) => Promise<Page> {
  let browser: Browser | undefined
  let home = ''
  const contexts = new Map<string, Promise<BrowserContext>>()
  beforeAll(async () => {
    if (chromiumMissing !== undefined) return
    home = mkdtempSync(join(tmpdir(), 'driftgate-browser-'))
    const env = { ...process.env, HOME: home, TMPDIR: home }
    browser = await chromium.launch({ executablePath: CHROMIUM, args: [...ARGUMENTS], env })
  })
  afterAll(async () => {
    await browser?.close()
    if (home !== '') rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
  return async ({ colorScheme = 'light', javaScriptEnabled = true, width = 1280 } = {}) => {
    if (browser === undefined) throw new Error('the browser did not start')
    const key = JSON.stringify([colorScheme, javaScriptEnabled, width])
    const context =
      contexts.get(key) ?? browser.newContext({ colorScheme, javaScriptEnabled, viewport: { width, height: 900 } })
    contexts.set(key, context)
    const page = await (await context).newPage()
    onTestFinished(() => page.close())
    return page
  }
}
