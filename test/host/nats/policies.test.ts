import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { headers } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { loadPolicy } from '../../../src/policy/load.ts'
import { audit, expanded, problemsOf } from '../../policy/audit.ts'
import { filesIn, pack } from '../../support/bundles.ts'
import { contexts, withNats, serverWith, entry, publish } from '../../support/nats.ts'
import { needsNats } from '../../support/nats-server.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const MINE = `owner: "${userInfo().uid}", group: "${userInfo().gid}", mode: '0644'`

const NOTHING = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'

test.skipIf(needsNats)('data in a bucket is resolved as a file of data is', async () => {
  const { environ } = await serverWith({
    values: {
      'site/web.yaml':
        "hierarchy: {order: [\"role:{{ lookup('facts.role', '') }}\"]}\ndata: {port: 1}\noverrides: {role:web: {port: 2}}",
    },
  })
  const options = { environ, data: ['kv://CONFIG/site%2Fweb.yaml'], fact: ['role=web'] }
  expect(await expanded(temporaryDirectory(), '{{ Data.port }}', options)).toBe('2')
})

test.skipIf(needsNats)('a pin of data in a bucket holds', async () => {
  const { environ } = await serverWith({ values: { site: 'port: 1' } })
  const digest = createHash('sha256').update('port: 1').digest('hex')
  const data = [`kv://CONFIG/site#sha256=${digest}`]
  expect(await expanded(temporaryDirectory(), '{{ Data.port }}', { environ, data })).toBe('1')
  const wrong = [`kv://CONFIG/site#sha256=${digest.replace(/^./, (first) => (first === '0' ? '1' : '0'))}`]
  expect(await problemsOf(temporaryDirectory(), NOTHING, { environ, data: wrong })).toEqual([
    expect.stringContaining('its content differs from the pinned digest'),
  ])
})

// The sentences are CCM's.
test.skipIf(needsNats)('errors in data of a bucket are reported in the words of CCM', async () => {
  const { server, environ } = await serverWith({ values: { empty: '', gone: 'x: 1', list: '- 1' } })
  await withNats(server, async (connection) => {
    const store = await new Kvm(connection).open('CONFIG')
    await store.delete('gone')
  })
  const data = [
    'kv://NONE/a',
    'kv://CONFIG/a',
    'kv://CONFIG/gone',
    'kv://CONFIG/empty',
    'kv://CONFIG',
    'kv://CONFIG/list',
    'file:///etc/site.yaml',
    'obj://CONFIG/a',
  ]
  expect(await problemsOf(temporaryDirectory(), NOTHING, { environ, data })).toEqual([
    '--data kv://NONE/a cannot be read: nats: bucket not found',
    '--data kv://CONFIG/a cannot be read: nats: key not found',
    '--data kv://CONFIG/gone cannot be read: nats: key not found',
    '--data kv://CONFIG/empty cannot be read: kv CONFIG#empty is empty',
    '--data kv://CONFIG cannot be read: key is required for kv hiera data source',
    expect.stringContaining('--data kv://CONFIG/list: it does not contain a map'),
    expect.stringContaining('unsupported hiera data source'),
    expect.stringContaining('unsupported hiera data source'),
  ])
})

test.skipIf(needsNats)('an object is a bundle, independent of its key', async () => {
  const archive = pack('web.tar.gz', { 'manifest.yaml': `data: {port: 1}\n${NOTHING}` })
  const { environ } = await serverWith({ objects: { 'sites/the web': archive } })
  const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
  const source = 'obj://Bundles/sites/the%20web'
  const loaded = await loadPolicy(source, { environ, checksum: `sha256:${sha256}` })
  await loaded.dispose()
  expect(loaded.ok && loaded.value[0]?.source).toBe(`${source}!/manifest.yaml`)
  const other = await loadPolicy(source, { environ, checksum: `sha256:${'0'.repeat(64)}` })
  expect(!other.ok && other.problems[0]?.message).toMatch(/sha256|checksum/i)
})

test.skipIf(needsNats)('errors in an object are reported in the words of CCM', async () => {
  const { server, environ } = await serverWith({
    objects: {
      gone: pack('a.tar.gz', { a: '' }),
      text: import.meta.filename,
      empty: pack('b.tar.gz', { a: '' }),
    },
  })
  await withNats(server, async (connection) => {
    const store = await new Objm(connection).open('Bundles')
    await store.delete('gone')
  })
  const problem = async (source: string): Promise<string> => {
    const loaded = await loadPolicy(source, { environ })
    return loaded.ok ? '' : loaded.problems.map(({ message }) => message).join('\n')
  }
  expect(await problem('obj://NONE/a')).toBe('obj://NONE/a: cannot be fetched: nats: bucket not found')
  expect(await problem('obj://Bundles/a')).toBe('obj://Bundles/a: cannot be fetched: nats: object not found')
  expect(await problem('obj://Bundles/gone')).toBe('obj://Bundles/gone: cannot be fetched: nats: object not found')
  expect(await problem('obj://Bundles')).toBe('obj://Bundles: key is required for object store manifest source')
  expect(await problem('obj://Bundles/text')).toMatch(/^obj:\/\/Bundles\/text: cannot be unpacked/)
  expect(await problem('obj://Bundles/empty')).toMatch(/the bundle has no manifest\.yaml/)
  expect(await problem('kv://CONFIG/a')).toMatch(/unsupported manifest source/)
})

test.skipIf(needsNats)('a scaffold in Go and in Jet reads keys and registrations', async () => {
  const { server, environ } = await serverWith({ values: { port: '8080' } })
  await publish(server, [entry('10.0.0.1', 80)])
  for (const [engine, template] of [
    ['go', '{{ kvGet "CONFIG" "port" }} {{ range registrations "*" "" "web" "*" }}{{ .Address }}{{ end }}'],
    [
      'jet',
      '[[ kvGet("CONFIG", "port") ]] [[ range _, e := registrations("*", "", "web", "*") ]][[ e.Address ]][[ end ]]',
    ],
  ] as const) {
    const directory = filesIn({ 'templates/app.conf': template, 'out/app.conf': '8080 10.0.0.1' })
    const scaffold = { name: `${directory}/out`, ensure: 'present', engine, source: 'templates' }
    const policy = JSON.stringify({ ccm: { resources: [{ scaffold }] } })
    const { run } = await audit(directory, policy, { environ })
    expect(run.summary).toMatchObject({ total: 1, compliant: 1 })
    writeFileSync(join(directory, 'out/app.conf'), '8081 10.0.0.1')
    const changed = await audit(directory, policy, { environ })
    expect(changed.run.summary).toMatchObject({ total: 1, drifted: 1 })
  }
})

test.skipIf(needsNats)('a faulty key is an error of its resource alone', async () => {
  const { server, environ } = await serverWith({ values: { a: '1' } })
  const file = (name: string, call: string): string =>
    `{file: {name: ${name}, ensure: present, content: '{{ ${call} }}', if_absent: compliant, ${MINE}}}`
  const policy = (directory: string): string =>
    `ccm: {resources: [${[
      file(`${directory}/a`, 'kvGet("CONFIG", "a")'),
      file(`${directory}/b`, 'kvGet("CONFIG", "b")'),
      file(`${directory}/c`, 'kvGet("NONE", "b")'),
      file(`${directory}/d`, 'kvGet("CONFIG", "no such key")'),
    ].join(', ')}]}`
  const messages = async (): Promise<unknown> => {
    const directory = temporaryDirectory()
    const { run } = await audit(directory, policy(directory), { environ })
    return run.policies[0]?.resources.map(({ verdict, reason, errors }) => [
      verdict,
      reason,
      (errors ?? []).join('').replace(/^.*?\d /, ''),
    ])
  }
  expect(await messages()).toEqual([
    ['compliant', undefined, ''],
    ['error', 'template', 'could not get key "b" from bucket "CONFIG": nats: key not found'],
    ['error', 'template', 'could not access KV bucket "NONE": nats: bucket not found'],
    ['error', 'not-observable', expect.stringMatching(/could not get key "no such key" .*invalid key/)],
  ])
  await server.kill()
  expect(await messages()).toEqual(
    ['a', 'b', 'b', 'no such key'].map((key) => [
      'error',
      'not-observable',
      expect.stringMatching(new RegExp(`"${key}" .*connection refused`)),
    ]),
  )
})

test.skipIf(needsNats)('a marker of the server is no registration', async () => {
  const { server, environ } = await serverWith()
  await publish(server, [entry('10.0.0.1', 80), entry('10.0.0.2', 80)])
  await withNats(server, async (connection) => {
    const said = headers()
    said.set('Nats-Marker-Reason', 'MaxAge')
    await jetstream(connection).publish('choria.ccm.registration.v1.prod.http.web.10_0_0_1.id80', '', { headers: said })
  })
  const template = '{{ registrations("*", "*", "*", "*") | map(.Address) | join(" ") }}'
  expect(await expanded(temporaryDirectory(), template, { environ })).toBe('10.0.0.2')
})

// Expectations from CCM's `PrometheusFileSD`.
test.skipIf(needsNats)('registrations become targets of Prometheus in every language', async () => {
  const { server, environ } = await serverWith()
  const scraped = {
    annotations: { 'prometheus.io/scrape': 'true', team: 'a&b', __own: 'x', 'not a label': 'y', none: '' },
  }
  await publish(server, [
    entry('10.0.0.1', 80, scraped),
    entry('10.0.0.2', 81, { annotations: { 'prometheus.io/scrape': 'true' } }),
    entry('10.0.0.3', 82),
    entry('10.0.0.4', 9100, { service: 'prometheus' }),
    entry('10.0.0.5', 9100, { service: 'prometheus', annotations: { 'prometheus.io/scrape': 'false' } }),
    entry('10.0.0.6', 0, { service: 'prometheus' }),
  ])
  const wanted = `[
  {
    "labels": {
      "cluster": "prod",
      "protocol": "http",
      "service": "web",
      "team": "a\\u0026b"
    },
    "targets": [
      "10.0.0.1:80",
      "10.0.0.2:81"
    ]
  },
  {
    "labels": {
      "cluster": "prod",
      "protocol": "http",
      "service": "prometheus"
    },
    "targets": [
      "10.0.0.4:9100"
    ]
  }
]`
  const directory = temporaryDirectory()
  const query = '"*", "*", "*", "*"'
  expect(await expanded(directory, `{{ registrations(${query}).PrometheusFileSD() }}`, { environ })).toBe(wanted)
  expect(await expanded(directory, `{{ jet('[[ registrations(${query}).PrometheusFileSD() ]]') }}`, { environ })).toBe(
    wanted,
  )
})

test.skipIf(needsNats)('a context is chosen by option, then by NATS_CONTEXT', async () => {
  const { server } = await serverWith({ values: { a: '1' } })
  const environ = contexts({ OTHER: { url: `127.0.0.1:${server.port}` } })
  const read = (more: object): Promise<string | undefined> =>
    expanded(temporaryDirectory(), '{{ kvGet("CONFIG", "a") }}', { environ, ...more })
  expect(await read({ context: 'OTHER' })).toBe('1')
  expect(await read({ context: join(environ.XDG_CONFIG_HOME, 'nats/context/OTHER.json') })).toBe('1')
  expect(await read({ environ: { ...environ, NATS_CONTEXT: 'OTHER' } })).toBe('1')
  await expect(read({})).rejects.toThrow('nats connection error: unknown context "CCM"')
})
