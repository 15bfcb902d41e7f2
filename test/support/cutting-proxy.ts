import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Something between a client and a server that can cut them off from each other. */
export interface CuttingProxy {
  readonly port: number
  /** How many connections it has cut. */
  readonly cuts: () => number
}

/**
 * Hands on what comes to a port of the loopback interface, and of each answer asks first whether to cut the connection instead, so that the
 * client never has it. It ends with the test.
 */
export async function cuttingProxy(port: number, isToCut: () => Promise<boolean>): Promise<CuttingProxy> {
  let cuts = 0
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        open.delete(socket)
        end()
      })
    }
    client.pipe(server)
    let before = Promise.resolve()
    server.on('data', (bytes) => {
      before = before.then(async () => {
        if (client.destroyed) return
        if (await isToCut()) {
          cuts++
          end()
        } else client.write(bytes)
      })
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  return { port: (proxy.address() as AddressInfo).port, cuts: () => cuts }
}
