import { expect } from 'vitest'
import type { Rule } from './rule.ts'

/** Packages that must be there, or must not; those that are planted lie in the host's own repository. */
const packages: readonly Rule[] = [
  {
    type: 'package',
    name: 'nginx',
    properties: { ensure: 'absent' },
    violation: 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y nginx >/dev/null 2>&1; systemctl stop nginx',
    drift: [['ensure', expect.stringMatching(/^1\.\d/)]],
  },
]

const units: readonly Rule[] = [
  {
    type: 'service',
    name: 'cron',
    properties: { ensure: 'running', enable: true },
    violation: 'systemctl disable -q --now cron',
    drift: [
      ['ensure', 'stopped'],
      ['enable', false],
    ],
  },
  {
    type: 'service',
    name: 'ssh',
    properties: { ensure: 'running', enable: true },
    violation: 'systemctl disable -q --now ssh',
    drift: [
      ['ensure', 'stopped'],
      ['enable', false],
    ],
  },
]

/** What is installed, and what of it runs. */
export const software: readonly Rule[] = [...packages, ...units]
