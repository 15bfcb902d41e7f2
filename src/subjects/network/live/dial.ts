import { createSocket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import { known, type Reading, unknown, type Unknown } from '../../../model/observation.ts'
import type { DialRequest } from '../network.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { hostAddresses } from './host-addresses.ts'

/** Errors that mean missing permission, not a missing server. */
const DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])

/** Tries all addresses of a host in parallel: one accepted connection is enough. */
export async function dial(request: DialRequest): Promise<Reading<boolean>> {
  const { host, localAddress } = request
  if (localAddress !== undefined && isIP(localAddress) === 0) {
    return unknown('invalid', `${localAddress} is not a local address`)
  }
  const addresses = await hostAddresses(host, request)
  if (addresses.kind === 'unknown') return addresses
  const family = localAddress === undefined ? undefined : isIP(localAddress)
  const possible = addresses.value.filter((address) => family === undefined || isIP(address) === family)
  const attempt = request.transport === 'tcp' ? connectTo : routeTo
  const answers = await Promise.all(possible.map((address) => attempt(address, request)))
  if (answers.some((answer) => answer.kind === 'known' && answer.value)) return known(true)
  return answers.find((answer): answer is Unknown => answer.kind === 'unknown') ?? known(false)
}

function connectTo(address: string, request: DialRequest): Promise<Reading<boolean>> {
  const { port, localAddress, timeoutMs, signal } = request
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, ...(localAddress === undefined ? {} : { localAddress }) })
    const end = (answer: Reading<boolean>): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', interrupt)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => end(known(false)), timeoutMs)
    const interrupt = (): void => end(INTERRUPTED)
    signal.addEventListener('abort', interrupt)
    socket.once('connect', () => end(known(true)))
    socket.once('error', (error) => end(judge(error, request)))
  })
}

const INTERRUPTED = unknown('not-observable', 'the run was interrupted')

/** UDP sends no packet, so only a missing route is proof. */
function routeTo(address: string, request: DialRequest): Promise<Reading<boolean>> {
  const { port, localAddress } = request
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
    const end = (answer: Reading<boolean>): void => {
      socket.close()
      resolve(answer)
    }
    socket.once('error', (error) => end(judge(error, request)))
    socket.bind({ port: 0, ...(localAddress === undefined ? {} : { address: localAddress }) }, () => {
      socket.connect(port, address, (error?: Error) => {
        end(error === undefined || error === null ? SILENT : judge(error, request))
      })
    })
  })
}

const SILENT = unknown(
  'not-observable',
  'UDP has no connections, so a listener cannot be detected; check the service itself',
)

function judge(error: Error, { host, localAddress }: DialRequest): Reading<boolean> {
  const code = errorCode(error)
  if (code === undefined) throw error
  if (DENIED.has(code))
    return unknown('permission-denied', `${host}: this user may not connect there: ${error.message}`)
  if (code === 'EADDRNOTAVAIL' && localAddress !== undefined) {
    return unknown('invalid', `${localAddress} is not a local address`)
  }
  return known(false)
}
