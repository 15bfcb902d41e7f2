import { formatIp, parseIp } from '../../../host/ip-address.ts'
import type { TableSocket } from './table.ts'

/** `ENDPT SOCK STY SST HBKT LPORT UID INODE LADDRS`; the last column has one or more addresses. */
const HEADING = /^\s*ENDPT\s+SOCK\s+STY\s+SST\s+HBKT\s+LPORT\s+UID\s+INODE\s+LADDRS\s*$/
const LINE = /^\s*\S+\s+\S+\s+\d+\s+(\d+)\s+\d+\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S.*)$/

/** The state of a listening endpoint. @see SCTP_SS_LISTENING in net/sctp/constants.h */
const LISTENING = '10'

/**
 * Parses /proc/net/sctp/eps. Each endpoint has a decimal port and all its addresses, IPv6 unabridged; the result has one
 * entry for each address. Undefined if a line is malformed. @see net/sctp/proc.c
 */
export function parseEndpoints(text: string): readonly (TableSocket & { readonly family: 4 | 6 })[] | undefined {
  const [heading = '', ...lines] = text.trimEnd().split('\n')
  if (!HEADING.test(heading)) return undefined
  const sockets: (TableSocket & { readonly family: 4 | 6 })[] = []
  for (const line of lines) {
    const [, state, port, uid, inode, addresses] = LINE.exec(line) ?? []
    if (addresses === undefined) return undefined
    for (const written of addresses.trim().split(/\s+/)) {
      const bytes = parseIp(written)
      if (bytes === undefined) return undefined
      if (state !== LISTENING) continue
      const family = bytes.length === 4 ? 4 : 6
      sockets.push({ address: formatIp(bytes), family, port: Number(port), uid: Number(uid), inode: Number(inode) })
    }
  }
  return sockets
}
