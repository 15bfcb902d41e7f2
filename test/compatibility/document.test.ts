import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const guide = ['ccm-compatibility.md', 'ccm-resources.md']
  .map((page) => readFileSync(join(here, '../../docs/guide', page), 'utf8'))
  .join('\n')

/** The last column of every row of every table. */
const rows = guide
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (subject|---)/.test(line))
  .map((line) => line.split('|').at(-2)?.trim() ?? '')

/** The title of every test beside this one, without the case of a table. */
const titles = readdirSync(here)
  .filter((name) => name.endsWith('.test.ts') && name !== 'document.test.ts')
  .flatMap((name) => [...readFileSync(join(here, name), 'utf8').matchAll(/\(\s*'([^'\n]+)',\s*(?:async|\(\) =>)/g)])
  .map(([, title = '']) => title.replace(/: .*$/, ''))

test('every row of the guide names a test, and every test has a row', () => {
  expect(rows.length).toBeGreaterThan(20)
  expect(new Set(rows).size).toBe(rows.length)
  expect([...new Set(titles)].toSorted()).toEqual(rows.toSorted())
})
