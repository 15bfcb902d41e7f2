import { needsRunningSystem } from '../../host/offline.ts'
import type { ReadableSubject } from '../../host/target.ts'
import type { TlsPeers } from './tls.ts'

/** Certificates that servers present. The TLS client loads on first use, because few policies need it. */
export const TLS: ReadableSubject<TlsPeers> = {
  name: 'tls',
  read: {
    live: () => ({
      certificates: async (peer, signal) => (await import('./live.ts')).readCertificates(peer, signal),
    }),
    atRest: () => ({ certificates: async ({ host, port }) => needsRunningSystem(`${host}:${port}`) }),
    answering: (tls, { read }) => ({
      certificates: async (peer, signal) => read('tls', () => tls.certificates(peer, signal), []),
    }),
  },
}
