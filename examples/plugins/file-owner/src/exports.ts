import { defineExports, type Seen } from 'driftgate'
import type { Accounts, Found } from './observe.ts'
import type { FileOwner } from './properties.ts'

/** What later resources can read. */
export const exports = defineExports({
  destination: { kind: 'text', summary: 'The path whose owner and group are managed.' },
  user: { kind: 'text', summary: 'The name of the owner: the wanted one, else the one there is.' },
  uid: { kind: 'integer', summary: 'The id of the owner: the wanted one, else the one there is.' },
  group: { kind: 'text', summary: 'The name of the group: the wanted one, else the one there is.' },
  gid: { kind: 'integer', summary: 'The id of the group: the wanted one, else the one there is.' },
})

export function exportsOf({ destination }: FileOwner, observed: Seen<Found, Accounts>) {
  const itself = observed.kind === 'present' ? observed.state[0] : undefined
  const user = observed.context.user ?? { name: itself?.user, id: itself?.uid }
  const group = observed.context.group ?? { name: itself?.group, id: itself?.gid }
  return {
    destination,
    user: user.name ?? undefined,
    uid: user.id ?? undefined,
    group: group.name ?? undefined,
    gid: group.id ?? undefined,
  }
}
