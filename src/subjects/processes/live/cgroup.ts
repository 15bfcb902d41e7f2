import { unitKind } from '../../../host/systemd/unit-name.ts'

/**
 * Unit of the system's service manager from /proc/[pid]/cgroup; `null` if absent. A unit of a user manager is part of
 * `user@UID.service`.
 */
export function unitOfCgroups(text: string): string | null {
  const lines = text.split('\n').map((line) => line.split(':'))
  // systemd uses its own hierarchy or the unified one; if both exist, one of them has no units.
  for (const [, , ...path] of [
    ...lines.filter(([, of]) => of === 'name=systemd'),
    ...lines.filter(([id]) => id === '0'),
  ]) {
    const unit = unitIn(path.join(':'))
    if (unit !== undefined) return unit
  }
  return null
}

/** The first part that is a unit but no slice, which only groups units. */
function unitIn(path: string): string | undefined {
  return path
    .split('/')
    .map((part) => part.replace(/^_/, '')) // Before a name that could be taken for a file of the kernel.
    .find((name) => !name.endsWith('.slice') && unitKind(name) !== undefined)
}
