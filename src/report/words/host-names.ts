import { countOf } from '../../model/count-of.ts'

/** Up to this number, hosts are listed by name. */
const NAMES_SHOWN = 4

/** Some of all hosts in words: `all 20 hosts`, `web01, web02`, or `17 hosts`. */
export function namesOf(hosts: readonly string[], all: number, escape: (text: string) => string): string {
  if (hosts.length === all) return all === 2 ? 'both hosts' : `all ${countOf(all, 'host')}`
  return hosts.length <= NAMES_SHOWN ? hosts.map(escape).join(', ') : countOf(hosts.length, 'host')
}
