import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { enter } from '../../src/fleet/nats/connect.ts'
import { seedOf } from '../../src/fleet/nats/nkey.ts'
import { makeKey } from '../../src/host/signing/keys.ts'

test('a server that ends every connection is told as what it is, after three of them', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = `tls://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(enter({ url, seed: seedOf(makeKey()), authority: '' })).rejects.toThrow(
    `cannot connect to ${url}: the server closed the connection`,
  )
  expect(connections).toBe(3)
})
