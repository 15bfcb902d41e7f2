import { unitKind } from '../../../host/systemd/unit-name.ts'

/**
 * The unit of the system's service manager in /proc/[pid]/cgroup, which keeps each in a control group of its name; `null`
 * if absent. A unit of a user's own manager is part of `user@UID.service`.
 */
export function unitOfCgroups(text: string): string | null {
  const lines = text.split('\n').map((line) => line.split(':'))
  // systemd uses the hierarchy of its own, or the one for everything; both may be there, and then one of them has no units.
  for (const [, , ...path] of [
    ...lines.filter(([, of]) => of === 'name=systemd'),
    ...lines.filter(([id]) => id === '0'),
  ]) {
    const unit = unitIn(path.join(':'))
    if (unit !== undefined) return unit
  }
  return null
}

/** The first part that is a unit, and not a slice, which only holds others. */
function unitIn(path: string): string | undefined {
  return path
    .split('/')
    .map((part) => part.replace(/^_/, '')) // Before a name that could be taken for a file of the kernel.
    .find((name) => !name.endsWith('.slice') && unitKind(name) !== undefined)
}
