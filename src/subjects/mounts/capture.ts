import type { Acceptance } from '../../model/acceptance.ts'
import { unreadable } from '../../model/differences.ts'
import { unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { resolveOptions } from '../../host/mount-options.ts'
import { decideMount, type MountState } from './decide.ts'

/**
 * Captures the file system and its access options. Other options depend on the kernel version or the amount of memory.
 */
export const mountCapture: ResourceCapture<MountState, undefined> = {
  look: {},
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent' }
    const { now, stored } = seen.state
    if (now.kind === 'unknown') return now
    if (now.value.kind === 'nothing') {
      const { value } = stored.kind === 'known' ? stored : { value: undefined }
      if (value?.kind === 'nothing') return { kind: 'absent' }
      return unknown('not-observable', `${name} is not mounted now, but may be after a reboot`)
    }
    if (now.value.kind === 'automount') {
      return unknown('not-observable', `${name} is an automount that is not mounted yet`)
    }
    const { source, fstype, options } = now.value
    if (stored.kind === 'unknown') {
      // The comparison of options also covers the stored ones.
      const properties = { device: source, fstype, if_absent: 'compliant' }
      return { kind: 'present', properties, unread: [unreadable('options', stored)] }
    }
    const then = stored.value.kind === 'stored' ? stored.value.options : undefined
    const storedOptions = then === undefined ? undefined : restrictionsIn(resolveOptions(then))
    const properties = {
      device: source,
      fstype,
      options: restrictionsIn(options),
      ...(storedOptions === undefined ? {} : { stored_options: storedOptions }),
    }
    const lasts = decideMount({ ensure: 'mounted', if_absent: 'drift', ...properties }, seen)
    if (lasts.drift.length === 0) return { kind: 'present', properties }
    const why = lasts.drift.map(({ note }) => note).filter((note) => note !== undefined)
    const notes = [`may be missing without a difference (if_absent: compliant): ${why.join('; ')}`]
    return { kind: 'present', properties: { ...properties, if_absent: 'compliant' }, notes }
  },
}

const RESTRICTIONS = ['ro', 'nodev', 'nosuid', 'noexec']

function restrictionsIn(options: readonly string[]): Acceptance<readonly string[], string> {
  const includes = RESTRICTIONS.filter((each) => options.includes(each))
  const excludes = RESTRICTIONS.filter((each) => !options.includes(each))
  return { ...(includes.length === 0 ? {} : { includes }), ...(excludes.length === 0 ? {} : { excludes }) }
}
