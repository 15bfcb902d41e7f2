import type { Network } from '../network.ts'

/** The network as seen by this process. Clients load on first use: most scans make no request. */
export const LOCAL_NETWORK: Network = {
  dial: async (request) => (await import('./dial.ts')).dial(request),
  resolve: async (request) => (await import('./resolve.ts')).resolveName(request),
  request: async (request) => (await import('./web-request.ts')).sendWebRequest(request),
}
