import type { Rule } from './rule.ts'

/** What shells have at their first prompt; who is at the prompt is the path. */
export const shells: readonly Rule[] = [
  {
    type: 'setting',
    name: 'shell:TMOUT',
    properties: { value: { at_least: 1, at_most: 900 } },
    prepare: 'touch /etc/profile.d/own.sh',
    violation: `sed -i '/TMOUT/d' /etc/profile.d/zz-driftgate.sh /etc/bash.bashrc; echo 'TMOUT=3600' > /etc/profile.d/own.sh`,
    drift: [
      ['value', '3600', 'a login shell of a user'],
      ['value', '0', 'an interactive non-login shell of a user'],
      ['value', '3600', 'a login shell of root'],
      ['value', '0', 'an interactive non-login shell of root'],
    ],
  },
]
