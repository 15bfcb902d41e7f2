import type { Page } from 'playwright-core'
import { type PageSettings, useChromium } from './chromium.ts'

/** An open page, with the forbidden actions that it performed. */
export interface Opened {
  readonly page: Page
  readonly trouble: readonly string[]
}

/** One browser for all tests of a file; the function opens a page of a view, which may ask for nothing elsewhere. */
export function usePages(): (address: string, path: string, settings?: PageSettings) => Promise<Opened> {
  const newPage = useChromium()
  return async (address, path, settings = {}) => {
    const page = await newPage(settings)
    const trouble = troubleOn(page, (url) => url.startsWith(address))
    await page.goto(address + path)
    return { page, trouble }
  }
}

/** Grows by every forbidden action of a page: console output, an error, a dialog, or a request to another server. */
export function troubleOn(page: Page, isOwn: (url: string) => boolean): readonly string[] {
  const trouble: string[] = []
  page.on('console', (message) => trouble.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!isOwn(request.url())) trouble.push(`request: ${request.url()}`)
  })
  return trouble
}

/** Texts that try to be more than text. */
export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  "'onmouseover='alert(3)",
  'javascript:alert(4)',
  '\u202egnp.exe\u0007',
  '../../etc/passwd?x=%00&y',
  '{{constructor.constructor("alert(5)")()}}',
]

/** How bright a colour of CSS is. */
export function brightness(color: string): number {
  return (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)
}
