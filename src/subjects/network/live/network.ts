import type { Network } from '../network.ts'

/** The network as this process reaches it. What speaks to others is loaded at the first question: most scans ask no question. */
export const LOCAL_NETWORK: Network = {
  dial: async (request) => (await import('./dial.ts')).dial(request),
  resolve: async (request) => (await import('./resolve.ts')).resolveName(request),
  request: async (request) => (await import('./web-request.ts')).sendWebRequest(request),
}
