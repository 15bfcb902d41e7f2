import { unreadable } from '../../../model/differences.ts'
import type { Captured, ResourceCapture } from '../../../resource-type/capture.ts'
import type { Secret } from '../accounts.ts'
import { dateOf } from '../ageing.ts'
import { groupsOf } from './fields.ts'
import type { UserState } from './wanted.ts'

/** All that passwd, group and shadow say, but neither hashes nor when the password was changed. */
export const userCapture: ResourceCapture<UserState, undefined> = {
  look: {},
  describe(seen): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'absent' } }
    const { account, groups } = seen.state
    const { uid, gid, home, shell, comment, secret } = account
    return {
      kind: 'present',
      properties: {
        uid,
        group: groups.find((each) => each.gid === gid)?.name ?? String(gid),
        groups: groupsOf(account, groups).toSorted(),
        home,
        shell,
        ...(comment === '' ? {} : { comment }),
        ...(secret.kind === 'known' ? secretOf(secret.value) : {}),
        if_absent: 'drift',
      },
      ...(secret.kind === 'known' ? {} : { unread: [unreadable('password', secret)] }),
    }
  },
}

/** What is unlimited has no number, and is left out. */
function secretOf({ password, ageing }: Secret): Readonly<Record<string, unknown>> {
  const days = (property: string, value: number | undefined): Readonly<Record<string, number>> =>
    value === undefined || value < 0 ? {} : { [property]: value }
  return {
    password: password.class,
    ...(password.scheme === undefined ? {} : { password_hash: password.scheme }),
    ...days('min_days', ageing?.min),
    ...days('max_days', ageing?.max),
    ...days('warn_days', ageing?.warn),
    ...days('inactive_days', ageing?.inactive),
    expires: ageing?.expires === undefined || ageing.expires < 0 ? 'never' : dateOf(ageing.expires),
  }
}
