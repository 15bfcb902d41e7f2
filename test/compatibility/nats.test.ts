import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'

import { expect, test } from 'vitest'

import { audit, expanded, problemsOf } from '../policy/audit.ts'

import { contexts, makeRegistry, withNats, serverWith, entry, publish } from '../support/nats.ts'
import { needsNats } from '../support/nats-server.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const MINE = `owner: "${userInfo().uid}", group: "${userInfo().gid}", mode: '0644'`

const NOTHING = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'

test.skipIf(needsNats)('a plain map in a bucket is used', async () => {
  const { environ } = await serverWith({ values: { site: 'port: 1' } })
  const options = { environ, data: ['kv://CONFIG/site'] }
  expect(await expanded(temporaryDirectory(), '{{ Data.port }}', options)).toBe('1')
})

test('unsupported members of a context are errors', async () => {
  const data = ['kv://CONFIG/site']
  for (const name of ['nsc', 'socks_proxy']) {
    const problems = await problemsOf(temporaryDirectory(), NOTHING, {
      environ: contexts({ CCM: { [name]: 'x' } }),
      data,
    })
    expect(problems).toEqual([expect.stringContaining(`"${name}" is not supported`)])
  }
})

test.skipIf(needsNats)('a query that nothing can match is an error', async () => {
  const { environ } = await serverWith()
  const template = '{{ registrations("*", "*", "we*", "*") }}'
  await expect(expanded(temporaryDirectory(), template, { environ })).rejects.toThrow(
    'service "we*" is not a valid name',
  )
})

test.skipIf(needsNats)('every template engine reads keys', async () => {
  const { environ } = await serverWith({ values: { 'web/port': '8080' } })
  const directory = temporaryDirectory()
  const rendered = async (template: string): Promise<string | undefined> => expanded(directory, template, { environ })
  expect(await rendered('{{ kvGet("CONFIG", "web/port") }}')).toBe('8080')
  expect(await rendered('{{ jet(\'port [[ kvGet("CONFIG", "web/port") ]]\') }}')).toBe('port 8080')
})

test.skipIf(needsNats)('a value of a key is secret, also in derived values', async () => {
  const { environ } = await serverWith({ values: { token: 'correct horse' } })
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'token'), 'battery staple')
  const policy = `ccm: {resources: [{file: {name: ${directory}/token, ensure: present, content: '{{ kvGet("CONFIG", "token") }}', ${MINE}}}]}`
  const { run } = await audit(directory, policy, { environ })
  expect(run.summary).toMatchObject({ total: 1, drifted: 1 })
  expect(JSON.stringify(run)).not.toMatch(/correct horse|battery staple/)
})

test.skipIf(needsNats)('registrations are sorted by address as text and port', async () => {
  const { server, environ } = await serverWith()
  await publish(server, [
    entry('10.0.0.10', 80),
    entry('10.0.0.9', 90),
    entry('10.0.0.9', 8),
    entry('10.0.0.2', 1, { cluster: 'test' }),
    entry('10.0.0.3', 1, { service: 'db' }),
  ])
  const directory = temporaryDirectory()
  const found = (query: string): Promise<string | undefined> =>
    expanded(directory, `{{ registrations(${query}) | map(.Address + ":" + string(.Port)) | join(" ") }}`, { environ })
  expect(await found('"prod", "*", "web", "*"')).toBe('10.0.0.10:80 10.0.0.9:8 10.0.0.9:90')
  expect(await found('"", "http", "", "10.0.0.9"')).toBe('10.0.0.9:8 10.0.0.9:90')
  expect(await found('"none", "*", "*", "*"')).toBe('')
})

test.skipIf(needsNats)('an unreadable registry is never an empty list', async () => {
  const { server, environ } = await serverWith()
  const directory = temporaryDirectory()
  const policy = `ccm: {resources: [{file: {name: ${directory}/a, ensure: present, if_absent: compliant, content: '{{ len(registrations("*", "*", "*", "*")) }}', ${MINE}}}]}`
  const outcome = async (registration?: string): Promise<unknown> => {
    const { results } = await audit(directory, policy, { environ, ...(registration && { registration }) })
    const { verdict, reason, errors } = Object.values(results)[0] ?? {}
    return [verdict, reason, (errors ?? []).join('').replace(/^.*?\d /, '')]
  }
  expect(await outcome()).toEqual(['error', 'not-observable', expect.stringContaining('no stream REGISTRATION')])
  await publish(server, [])
  expect(await outcome()).toEqual(['compliant', undefined, ''])
  expect(await outcome('OTHER')).toEqual(['error', 'not-observable', expect.stringContaining('no stream OTHER')])
  await withNats(server, async (connection) => {
    await jetstream(connection).publish('choria.ccm.registration.v1.a.b.c.d.e', 'no json')
  })
  expect(await outcome()).toEqual(['error', 'not-observable', expect.stringContaining('could not decode')])
  await server.kill()
  expect(await outcome()).toEqual(['error', 'not-observable', expect.stringContaining('connection refused')])
})

test.skipIf(needsNats)('untrusted policies query no server', async () => {
  const { environ } = await serverWith({ values: { a: '1' } })
  const directory = temporaryDirectory()
  const file = (call: string): string =>
    `{file: {name: ${directory}/${call.length}, ensure: absent, control: {if: '${call} == "1"'}}}`
  const policy = `ccm: {resources: [${file('kvGet("CONFIG", "a")')}, ${file('registrations("*", "*", "*", "*")')}]}`
  const { results } = await audit(directory, policy, { environ, untrusted: true })
  for (const { verdict, reason, errors } of Object.values(results)) {
    expect([verdict, reason]).toEqual(['error', 'not-observable'])
    expect(errors?.join('')).toContain('untrusted policies may not read values of servers (--untrusted)')
  }
})

test.skipIf(needsNats)('the operator names the registry', async () => {
  const { server, environ } = await serverWith()
  await withNats(server, (connection) => makeRegistry(connection, 'SERVICES'))
  await publish(server, [entry('10.0.0.1', 80)])
  const template = '{{ registrations("*", "*", "*", "*") | map(.Address) | join(" ") }}'
  const options = { environ, registration: 'SERVICES' }
  expect(await expanded(temporaryDirectory(), template, options)).toBe('10.0.0.1')
})
