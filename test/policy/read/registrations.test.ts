import { expect, test } from 'vitest'
import type { Registration } from '../../../src/model/registration.ts'
import { audit, problemsOf } from '../audit.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

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

test.each([
  ['10m', '10m'],
  ['90s', '90s'],
  ['1h30m', '1h30m'],
  ['1500ms', '1500ms'],
  ['2d', '172800s'],
  ['1M', '2592000s'],
  ['never', 'never'],
])('a time to live of %s is sent as %s, in units that a server knows', async (ttl, sent) => {
  expect(await read({ ttl })).toEqual([{ ...WEB, annotations: {}, ttl: sent }])
})

test.each([
  [{ address: '10.0.0.256' }, 'address must be an IP address'],
  [{ address: 'fe80::1%eth0' }, 'address must be an IP address'],
  [{ address: 'a b' }, 'address must be an IP address'],
  [{ ttl: '10' }, 'ttl must be a duration of at least a second, such as 10m, or "never"'],
  [{ ttl: '1ms' }, 'ttl must be a duration of at least a second, such as 10m, or "never"'],
  [{ priority: 256 }, 'priority must be a whole number between 1 and 255, found the number 256'],
  [{ port: 65_536 }, 'port must be a whole number between 1 and 65535, found the number 65536'],
  [{ service: '1a' }, 'service must be a name of letters, digits, _ and - that starts with a letter, found text "1a"'],
])('%j is a mistake of the policy', async (members, message) => {
  expect(await problemsOf(temporaryDirectory(), policy(members))).toEqual([expect.stringContaining(message)])
})

test.each([
  [{ port: '{{ Data.value }}' }, 'port must be a whole number between 1 and 65535'],
  [{ priority: '{{ Data.value }}' }, 'priority must be a whole number between 1 and 255'],
  [{ cluster: '{{ Data.value }}' }, 'cluster must be a name of letters'],
  [{ address: '{{ Data.value }}' }, 'address must be an IP address'],
  [{ ttl: '{{ Data.value }}' }, 'ttl must be a duration'],
  [{ annotations: { a: '{{ Data.nope }}' } }, 'nope'],
])('an unregistrable template result of %j is an error of the resource', async (members, message) => {
  const { results } = await audit(temporaryDirectory(), policy(members, { value: '0 {{ secret' }))
  expect(results['file#/nowhere']).toMatchObject({ verdict: 'error', reason: 'template' })
  expect(results['file#/nowhere']?.message).toContain(message)
  expect(results['file#/nowhere']?.message).not.toContain('secret')
})
