import { unitKind } from '../../unit-name.ts'

/**
 * The unit of the system's service manager in /proc/[pid]/cgroup, which keeps each in a control group of its name; `null`
 * where there is none. A unit of a user's own manager is part of `user@UID.service`.
 */
export function unitOfCgroups(text: string): string | null {
  const lines = text.split('\n').map((line) => line.split(':'))
  const ofSystemd = lines.find(([, controllers]) => controllers === 'name=systemd') ?? lines.find(([id]) => id === '0')
  const path = ofSystemd?.slice(2).join(':') ?? ''
  for (const part of path.split('/')) {
    // A name that could be taken for a file of the kernel has an underscore before it.
    const name = part.replace(/^_/, '')
    if (!name.endsWith('.slice') && unitKind(name) !== undefined) return name
  }
  return null
}
