import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { mergeRuns } from '../../src/model/findings/merge.ts'
import { PLAIN, type RenderOptions } from '../../src/report/format.ts'
import { renderReport } from '../../src/report/index.ts'
import { fleetRun } from '../support/fleet-run.ts'
import { tablesOf } from '../support/markdown.ts'
import { resourceResult, policyResult, runOf } from '../support/run.ts'
import type { Run } from '../../src/model/run.ts'

async function text(run: Run, options: Partial<RenderOptions> = {}): Promise<readonly string[]> {
  return (await renderReport(run, 'text', { ...PLAIN, ...options })).split('\n')
}

test.each([60, 80, 120])('at %i columns the matrix of twenty hosts is no wider', async (width) => {
  const lines = await text(fleetRun(20, 30), { width })
  expect(lines.filter((line) => line.length > width)).toEqual([])
  expect(lines[0]).toBe('Audit of 20 hosts')
  for (let host = 1; host <= 20; host++) {
    expect(lines.some((line) => line.includes(`web${String(host).padStart(2, '0')}.example.com`))).toBe(true)
  }
})

test('each host has a column, and those that differ a star', async () => {
  const lines = await text(fleetRun(20, 31), { width: 80 })
  const header = lines.findIndex((line) => /^ +a b c .* t$/.test(line))
  expect(lines[header]?.trim().split(' ')).toHaveLength(20)
  // Resource 30 is odd on every host and has another value on hosts 2, 9 and 16.
  const row = lines.find((line) => line.includes('site-30 '))
  expect(row?.slice(lines[header]?.indexOf('a'))).toBe('x x*x x x x x x x*x x x x x x x*x x x x')
})

test('equal findings of hosts are one, and the hosts that differ are named', async () => {
  const whole = (await text(fleetRun(20, 31))).join('\n').replaceAll(/\s+/g, ' ')
  expect(whole).toContain('17 hosts: file#/etc/application/configuration-30.conf: mode: want 0640, found 0644')
  expect(whole).toContain('web02.example.com, web09.example.com, web16.example.com (differs): file#/etc')
  expect(whole).not.toContain('The site on web01')
})

test('a thousand drifts of twenty hosts are less than 300 lines, and --verbose has every host by itself', async () => {
  const run = fleetRun(20, 150)
  expect(run.summary.drifted).toBe(1000)
  const lines = await text(run, { width: 80 })
  expect(lines.length).toBeLessThan(300)
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}\d+ more, listed with --verbose$/))
  expect((await text(run, { verbose: true })).join('\n')).toContain('on web20.example.com')
})

test('a host on which nothing was evaluated is not called well', async () => {
  const empty = runOf({
    policies: [policyResult({ resources: [resourceResult({ verdict: 'not-applicable' })] })],
    target: { kind: 'local', hostname: 'db01', os: { id: '', version: '' } },
  })
  expect((await text(mergeRuns([runOf(), empty]))).join('\n')).toMatch(/b db01 +nothing was evaluated/)
})

test('markdown has the hosts by number, and differing cells in bold', async () => {
  const markdown = await renderReport(fleetRun(20, 31), 'markdown')
  const [hosts = [], matrix = [], found = []] = tablesOf(markdown)
  expect(hosts).toHaveLength(21)
  expect(matrix[0]).toHaveLength(22)
  expect(markdown).toContain('| x | **x** | x | x | x | x | x | x | **x** |')
  expect(found.flat()).toContain('17 hosts')
  expect(markdown.length).toBeLessThan(64_000)
})

test('no report of several runs joins their ids', async () => {
  const run = fleetRun(20, 3)
  for (const format of ['text', 'html', 'markdown', 'junit', 'hdf', 'json'] as const) {
    expect(await renderReport(run, format), format).not.toMatch(/[0-9a-f]{12}\+[0-9a-f]{8}/)
  }
})

// The budget is for a page that is sent by mail: 20 hosts of 300 resources, also where no two hosts are alike.
test.each(['alike', 'each its own'] as const)(
  '20 hosts of 300 resources, %s, are a page below 3 MB',
  async (unlike) => {
    const html = await renderReport(fleetRun(20, 300, unlike), 'html')
    expect(Buffer.byteLength(html)).toBeLessThan(3_000_000)
    expect(html).toContain('Audit of 20 machines')
  },
)
