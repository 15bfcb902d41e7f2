import { absent, known, type NotApplicable, notApplicable, type Observation, present } from '../../model/observation.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import type { MountState, MountDesired } from './decide.ts'
import { MOUNTS } from './subject.ts'

type Machine = Pick<Target, 'open'> & HasFiles<'realPath' | 'lstat'>

/** Observes the current mount and the stored mount. */
export function observeMount(
  target: Machine,
  { name, if_absent: ifAbsent }: Pick<MountDesired, 'if_absent'> & { readonly name: string },
): Observation<MountState> | NotApplicable {
  const real = target.files.realPath(name)
  const path = (real.kind === 'known' ? real.value : null) ?? name
  const now = real.kind === 'unknown' ? real : target.open(MOUNTS).now(path)
  const stored = target.open(MOUNTS).stored(path)
  // A system that is not running only has stored mounts.
  const isNothingNow = now.kind === 'known' ? now.value.kind === 'nothing' : now.needs === 'running-system'
  const isNothing = isNothingNow && stored.kind === 'known' && stored.value.kind === 'nothing'
  if (isNothing && ifAbsent === 'not-applicable') return notApplicable(`nothing is mounted at ${name}`)
  const isNowhere = now.kind === 'known' && now.value.kind === 'nothing' && now.value.within === '/'
  if (isNowhere && stored.kind === 'known' && stored.value.kind === 'nothing' && stored.value.why === undefined) {
    return absent()
  }
  return present({
    path,
    now: now.kind === 'known' ? known(now.value) : now,
    stored,
    fstab: target.files.lstat('/etc/fstab'),
  })
}
