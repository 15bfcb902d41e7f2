import { keptPaths } from '../../host/keeping.ts'
import { readFollowedStat } from '../../host/live/file-stat.ts'
import { createLocalProbe } from '../../host/live/probe.ts'
import { refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import { createPamProfileControl } from './live/pam-profiles.ts'
import { AUTHSELECT_DIRECTORY, AUTHSELECT_STACKS } from './stack/authselect.ts'
import { PROFILE_RECORDS, type PamProfileControl } from './stack/profiles.ts'
import { PAM_TYPES } from './stack/stack.ts'

/** The files that authselect(8) writes: its directory, the links into it, and its backups. */
const AUTHSELECT_FILES = [
  AUTHSELECT_DIRECTORY,
  ...AUTHSELECT_STACKS.flatMap((name) => [`/etc/pam.d/${name}`, `/var/lib/authselect/${name}`]),
  ...['nsswitch.conf', 'dconf-db', 'dconf-locks', 'checksum'].map((name) => `/var/lib/authselect/${name}`),
  '/etc/nsswitch.conf',
]

/** Profiles that pam-auth-update and authselect write into the stacks. */
export const PAM_PROFILES: WritableSubject<PamProfileControl> = {
  name: 'pam',
  write: {
    live: () => createPamProfileControl(() => ({ files: { stat: readFollowedStat }, probe: createLocalProbe() })),
    atRest: () => ({ enable: refusedAtRest('PAM profiles'), enableFeatures: refusedAtRest('PAM features') }),
    keeping: (profiles, { keep }) => ({
      enable(profile, objection, signal) {
        const stacks = [...PAM_TYPES, 'session-noninteractive'].map((type) => `/etc/pam.d/common-${type}`)
        return keep(keptPaths([...stacks, PROFILE_RECORDS]), () => profiles.enable(profile, objection, signal))
      },
      enableFeatures: (features, objection, signal) =>
        keep(keptPaths(AUTHSELECT_FILES), () => profiles.enableFeatures(features, objection, signal)),
    }),
  },
}
