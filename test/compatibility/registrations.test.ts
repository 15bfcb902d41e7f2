import { expect, test } from 'vitest'
import type { Registration } from '../../src/model/registration.ts'
import { audit, load } from '../policy/audit.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const WEB = { cluster: 'prod', service: 'web', protocol: 'http', address: '10.0.0.1', port: 80, priority: 1 }

/** A policy of one resource that is registered as this. */
function policy(members: object, data: object = {}): string {
  const file = { name: '/nowhere', ensure: 'absent', register_when_stable: [{ ...WEB, ...members }] }
  return JSON.stringify({ data, ccm: { resources: [{ file }] } })
}

async function read(members: object, data?: object): Promise<readonly Registration[] | undefined> {
  const { policy: loaded } = await audit(temporaryDirectory(), policy(members, data))
  return loaded.resources[0]?.registrations
}

test('registered entries contain rendered values', async () => {
  const members = {
    cluster: '{{ Data.name }}',
    address: '{{ Data.ip }}',
    port: '{{ Data.port }}',
    priority: '${ 2 + 3 }',
  }
  const annotations = { version: '{{ Data.port }}.1', none: '' }
  const data = { name: 'test', ip: '2001:db8::1', port: 8080 }
  expect(await read({ ...members, annotations }, data)).toEqual([
    {
      ...WEB,
      cluster: 'test',
      address: '2001:db8::1',
      port: 8080,
      priority: 5,
      annotations: { version: '8080.1', none: '' },
    },
  ])
})

test('a host name is registered with a warning', async () => {
  const loaded = await load(temporaryDirectory(), policy({ address: 'db-1.example.com' }))
  expect(loaded).toMatchObject({ ok: true, warnings: [{ severity: 'warning', position: { line: 1 } }] })
  expect(await read({ address: 'db-1.example.com' })).toMatchObject([{ address: 'db-1.example.com' }])
})
