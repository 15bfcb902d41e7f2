import { join } from 'node:path'
import { known, type Reading } from '../../model/observation.ts'
import type { HasFiles } from '../../host/target.ts'
import type { UserAccount } from './accounts.ts'

export type Home = Pick<UserAccount, 'home' | 'uid' | 'gid'>

/** What `usermod -g` gives to the new group: all in a home that is the account's own which has the old one. @see usermod(8) */
export function filesOfGroup(
  target: HasFiles<'stat' | 'lstat' | 'listTree'>,
  { home, uid, gid }: Home,
): Reading<readonly string[]> {
  const seen = target.files.stat(home)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent' || seen.state.kind !== 'directory' || seen.state.uid !== uid) return known([])
  const below = target.files.listTree(home)
  if (below.kind === 'unknown') return below
  const paths = [home, ...below.value.map(({ path }) => join(home, path))]
  return known(
    paths.filter((path) => {
      const each = path === home ? seen : target.files.lstat(path)
      return each.kind === 'present' && each.state.gid === gid
    }),
  )
}
