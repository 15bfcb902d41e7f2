import { needsRunningSystem } from '../../host/offline.ts'
import type { ReadableSubject } from '../../host/target.ts'
import type { NetworkInterfaces } from './interfaces.ts'
import { openInterfaces } from './live/interfaces.ts'
import type { Network, WebAnswer } from './network.ts'
import { known } from '../../model/observation.ts'

const NO_ANSWER: WebAnswer = { status: 503, headers: [], body: known(new Uint8Array()) }

/** Network interfaces, from /sys and the kernel. */
export const INTERFACES: ReadableSubject<NetworkInterfaces> = {
  name: 'interfaces',
  read: {
    live: ({ probe }) => openInterfaces({ probe }),
    atRest: () => ({ list: async () => needsRunningSystem('network interfaces') }),
    answering: (interfaces, { read }) => ({ list: async () => read('interfaces', () => interfaces.list(), []) }),
  },
}

export const NETWORK: ReadableSubject<Network> = {
  name: 'network',
  read: {
    // Clients load on first use: most scans make no request.
    live: () => ({
      dial: async (request) => (await import('./live/dial.ts')).dial(request),
      resolve: async (request) => (await import('./live/resolve.ts')).resolveName(request),
      request: async (request) => (await import('./live/web-request.ts')).sendWebRequest(request),
    }),
    atRest: () => ({
      dial: async () => needsRunningSystem('connections'),
      resolve: async () => needsRunningSystem('name resolution'),
      request: async () => needsRunningSystem('web servers'),
    }),
    answering: (network, { read }) => ({
      dial: async (request) => read('network', () => network.dial(request), false),
      resolve: async (request) => read('network', () => network.resolve(request), []),
      request: async (request) => read('network', () => network.request(request), NO_ANSWER),
    }),
  },
}
