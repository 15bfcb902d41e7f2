import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeToken } from '../../../src/fleet/web/server/tokens.ts'
import { storeReport, viewFleet } from '../../support/fleet-view.ts'
import { hasProgram } from '../../support/programs.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const ALERTS = new URL('../../../examples/prometheus/fleet-alerts.yaml', import.meta.url).pathname
const needsPromtool = hasProgram('promtool') ? undefined : 'needs promtool'

interface Document {
  readonly page: { readonly number: number; readonly pages: number; readonly total: number; readonly next?: string }
  readonly hosts: readonly { readonly name: string }[]
  readonly error?: string
}

const namesOf = ({ hosts }: Document): readonly string[] => hosts.map(({ name }) => name)

/** Three hosts in two rings, whose controls stand in different ways. */
async function threeHosts(): Promise<(path: string) => Promise<Document>> {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', controls: { 'ssh-01': 'drifted', 'ssh-02': 'compliant' } })
  storeReport(from, { host: 'web02', controls: { 'ssh-01': 'compliant', 'ssh-02': 'error' } })
  storeReport(from, { host: 'db01', controls: { 'ssh-01': 'not-applicable', 'ssh-02': 'waived' } })
  storeReport(from, { host: 'db02', controls: { 'ssh-01': 'compliant' }, agoMs: 3 * 86_400_000 })
  const rosterFile = join(temporaryDirectory(), 'hosts.yaml')
  const of = (name: string, ring: string, site: string): string =>
    `{ name: ${name}, ring: ${ring}, labels: { site: ${site} } }`
  const hosts = [
    of('web01', 'early', 'fra'),
    of('web02', 'rest', 'ber'),
    of('db01', 'rest', 'fra'),
    of('db02', 'rest', 'fra'),
  ]
  writeFileSync(rosterFile, `hosts: [${hosts.join(', ')}]\n`)
  const { address } = await viewFleet({ from, rosterFile })
  return async (path) => (await fetch(`${address}api/v1/${path}`)).json() as Promise<Document>
}

test('a list is read page by page, each leading to the next', async () => {
  const get = await threeHosts()
  const found: string[] = []
  let path: string | undefined = 'hosts?per_page=3'
  for (let pages = 0; path !== undefined; pages++) {
    const document: Document = await get(path)
    expect(document.page).toMatchObject({ number: pages + 1, pages: 2, total: 4 })
    found.push(...namesOf(document))
    path = document.page.next?.replace('/api/v1/', '')
  }
  expect(found.toSorted()).toEqual(['db01', 'db02', 'web01', 'web02'])
  expect((await get('hosts?per_page=0')).error).toContain('per_page must be a number from 1 to 1000')
  expect((await get('hosts?per_page=1001')).error).toContain('per_page')
  expect(await get('')).toMatchObject({ error: 'no such document' })
})

test.each([
  ['control=ssh-01&verdict=compliant', ['web02']],
  ['control=ssh-01&verdict=drifted', ['web01']],
  // A silent host has no known state, despite its last report.
  ['control=ssh-01&verdict=unknown', ['db02']],
  ['control=ssh-02&verdict=unknown', ['web02']],
  ['control=ssh-02&verdict=waived&verdict=compliant', ['db01', 'web01']],
  ['control=ssh-*&verdict=not-applicable', ['db01']],
  ['ring=early', ['web01']],
  ['ring=rest&label=site=fra', ['db01', 'db02']],
  ['q=EARL', ['web01']],
  ['q=web', ['web01', 'web02']],
])('hosts are found by %s', async (query, names) => {
  const get = await threeHosts()
  expect(namesOf(await get(`hosts?${query}`)).toSorted()).toEqual(names)
})

test('a verdict without a control, and one that does not exist, are refused', async () => {
  const get = await threeHosts()
  expect((await get('hosts?verdict=drifted')).error).toContain('verdict requires control')
  expect((await get('hosts?control=a&verdict=met')).error).toContain('verdict must be one of')
})

test('a token for programs reads documents and metrics, and opens no page', async () => {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01' })
  const { token, line } = makeToken('grafana', 'api')
  const tokens = join(temporaryDirectory(), 'tokens')
  writeFileSync(tokens, `${line}\n`, { mode: 0o600 })
  const { address } = await viewFleet({ from, tokens })
  const status = async (path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${address}${path}`, { redirect: 'manual', headers: { authorization: `Bearer ${token}` }, ...init }))
      .status
  for (const path of ['api/v1', 'api/v1/fleet', 'api/v1/hosts', 'metrics'])
    expect([path, await status(path)]).toEqual([path, 200])
  for (const path of ['', 'hosts', 'host?name=web01']) expect([path, await status(path)]).toEqual([path, 403])
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(await status('api/v1/hosts', { method })).toBe(405)
  const form = { method: 'POST', body: new URLSearchParams({ token }), headers: {} }
  expect(await status('login', form)).toBe(403)
  expect(await status('api/v1/hosts', { headers: {} })).toBe(401)
})

/** The metrics of a view with a host of every kind. */
async function metrics(): Promise<string> {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', controls: { 'ssh-01': 'drifted', 'ssh-02': 'error' } })
  const { address } = await viewFleet({ from })
  return (await fetch(`${address}metrics`)).text()
}

test('alerts are about metrics that exist, with values that their labels have', async () => {
  const names = new Set((await metrics()).match(/^driftgate_fleet_\w+/gm))
  const rules = readFileSync(ALERTS, 'utf8')
  const used = new Set(rules.match(/driftgate_fleet_\w+/g))
  expect([...used].filter((name) => !names.has(name))).toEqual([])
  const values = [...rules.matchAll(/(presence|severity|standing)(?:=~?)"([^"]+)"/g)]
  const text = await metrics()
  for (const [, label, value = ''] of values)
    for (const word of value.split('|')) expect(text).toContain(`${label}="${word}"`)
})

test.skipIf(needsPromtool)('promtool accepts the metrics and the alerts, which fire when they should', async () => {
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: await metrics(), encoding: 'utf8' })
  expect({ status: checked.status, said: checked.stderr + checked.stdout }).toEqual({ status: 0, said: '' })
  expect(spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' })).toMatchObject({ status: 0 })
  const series = (name: string, values: string): object => ({ series: `driftgate_fleet_${name}`, values })
  const fine = [
    series('read_timestamp_seconds', '0+60x60'),
    series('troubles', '0x60'),
    series('presence{presence="silent"}', '0x10 2x50'),
    series('presence{presence="forged"}', '0x60'),
    series('drifts{severity="critical"}', '0x30 1x30'),
  ]
  const firing = (name: string): string => `count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)`
  const expects = (at: string, name: string, value: number): object => ({
    expr: firing(name),
    eval_time: at,
    exp_samples: [{ labels: '{}', value }],
  })
  const test = {
    rule_files: [ALERTS],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: fine,
        promql_expr_test: [
          expects('9m', 'DriftgateHostsSilent', 0),
          expects('20m', 'DriftgateHostsSilent', 0),
          expects('40m', 'DriftgateHostsSilent', 1),
          expects('40m', 'DriftgateDriftCritical', 0),
          expects('55m', 'DriftgateDriftCritical', 1),
          expects('55m', 'DriftgateHostsForged', 0),
          expects('55m', 'DriftgateViewDown', 0),
          expects('55m', 'DriftgateReportsUnread', 0),
        ],
      },
      {
        interval: '1m',
        // The server of the fleet is away: one alert, not one for each host.
        input_series: [
          series('read_timestamp_seconds', '0+60x60'),
          series('troubles', '1x60'),
          series('presence{presence="silent"}', '500x60'),
        ],
        promql_expr_test: [expects('30m', 'DriftgateReportsUnread', 1), expects('30m', 'DriftgateHostsSilent', 0)],
      },
      { interval: '1m', input_series: [], promql_expr_test: [expects('10m', 'DriftgateViewDown', 1)] },
    ],
  }
  const file = join(temporaryDirectory(), 'test.yaml')
  writeFileSync(file, JSON.stringify(test))
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
})
