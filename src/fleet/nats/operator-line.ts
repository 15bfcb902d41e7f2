import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { enter, loginOfContext } from './connect.ts'
import { addressesOf, fleetHome } from './home.ts'
import { otherListenerOn } from './local-server.ts'
import { SERVER_FILES } from './server-config.ts'

/**
 * Connects as the operator of the fleet in a directory. Throws an `OperatorError`, which names another process on the
 * port if the server should run on this machine.
 */
export async function enterAsOperator(directory: string): Promise<Line> {
  const home = fleetHome(directory)
  const login = loginOfContext(home.context)
  try {
    return await enter(login)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const config = home.server(SERVER_FILES.config)
    for (const { host, port } of addressesOf(login.url.replaceAll('tls://', ''))) {
      const other = (await isThisMachine(host)) ? await otherListenerOn(port, config) : undefined
      if (other === undefined) continue
      const message = `${error.message}: port ${port} of this machine belongs to ${other}, where nats-server was expected with ${config}: stop that process and start the server, or create the fleet with another port`
      throw new OperatorError(message, { cause: error })
    }
    throw error
  }
}

async function isThisMachine(host: string): Promise<boolean> {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
  // An unknown name resolves to no address.
  const found = await lookup(host, { all: true }).catch(() => [])
  return found.some(({ address }) => address.startsWith('127.') || own.includes(address))
}
