import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { auditResource, type ContractScene, contractTests, unseenDrifts } from 'driftgate/testing'
import { httpHeader } from '../src/index.ts'

const server = createServer((_request, response) => response.writeHead(200, { 'X-Frame-Options': 'DENY' }).end())
await once(server.listen(0, '127.0.0.1'), 'listening')
after(() => server.close())
const address = server.address()
const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`

const scene = (title: string, state: ContractScene['state'], properties: object): ContractScene => ({
  title,
  state,
  arrange: () => ({ name: 'x-frame-options', url, ...properties }),
})

const scenes = [
  scene('a header as it is', 'compliant', { value: 'DENY' }),
  scene('one of several values', 'compliant', { value: { one_of: ['SAMEORIGIN', 'DENY'] } }),
  scene('another value', 'unfixable', { value: 'SAMEORIGIN' }),
  scene('a header that is not sent', 'unfixable', { name: 'strict-transport-security', value: 'max-age=1' }),
]

for (const { name, run } of contractTests(httpHeader, { scenes })) test(name, run)

test('every difference is in a scene', async () => assert.deepEqual(await unseenDrifts(httpHeader, { scenes }), []))

test('a server that does not answer is an error', async () => {
  const { verdict, message } = await auditResource(httpHeader, { name: 'x', url: 'http://127.0.0.1:1/', value: 'y' })
  assert.equal(verdict, 'error')
  assert.match(message ?? '', /does not answer/)
})
