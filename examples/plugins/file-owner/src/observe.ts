import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { absent, known, present, type Reading, type ResourceContext, type Target, unknown } from 'driftgate'
import { findGroup, findUser, type FoundAccount } from './accounts.ts'
import type { FileOwner } from './properties.ts'

/** Who owns one thing. An account that has no name is undefined there. */
export interface Owned {
  /** Relative to the destination; empty for the destination itself. */
  readonly path: string
  readonly uid: number
  readonly gid: number
  readonly user: string | undefined
  readonly group: string | undefined
}

/** The accounts that are wanted. */
export interface Accounts {
  readonly user: FoundAccount
  readonly group: FoundAccount
}

/** The destination, followed in recursive mode by everything below it. */
export type Found = readonly [Owned, ...Owned[]]

// How many entries are looked at before everything else, such as an interrupt, gets its turn.
const ENTRIES_AT_ONCE = 1000

export async function observe(target: Target, desired: FileOwner, { signal }: ResourceContext) {
  const user = await findUser(target, desired)
  if (user.kind === 'unknown') return user
  const group = await findGroup(target, desired)
  if (group.kind === 'unknown') return group
  const accounts: Accounts = { user: user.value, group: group.value }

  const { destination, recursive } = desired
  const seen = target.files.lstat(destination)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return absent(accounts)
  const itself = owned(target, '', seen.state)
  if (!recursive || seen.state.kind !== 'directory') return present<Found, Accounts>([itself], accounts)
  const below = await observeTree(target, destination, signal)
  if (below.kind === 'unknown') return below
  return present<Found, Accounts>([itself, ...below.value], accounts)
}

async function observeTree(target: Target, root: string, signal: AbortSignal): Promise<Reading<readonly Owned[]>> {
  const tree = target.files.listTree(root)
  if (tree.kind === 'unknown') return tree
  const found: Owned[] = []
  for (const [index, { path }] of tree.value.entries()) {
    if (index % ENTRIES_AT_ONCE === 0) await setImmediate()
    if (signal.aborted) return unknown('not-observable', 'the look at the tree was interrupted')
    // Text holds this character in place of bytes that are not text, so the thing cannot be asked for by its name.
    if (path.includes('\uFFFD')) return unknown('not-observable', `${join(root, path)}: the name is no UTF-8`)
    const seen = target.files.lstat(join(root, path))
    if (seen.kind === 'unknown') return seen
    // What has gone since the tree was listed has no owner any more.
    if (seen.kind === 'present') found.push(owned(target, path, seen.state))
  }
  return known(found)
}

function owned(target: Target, path: string, { uid, gid }: { readonly uid: number; readonly gid: number }): Owned {
  return { path, uid, gid, user: target.names.userName(uid), group: target.names.groupName(gid) }
}
