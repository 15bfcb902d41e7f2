import { isAbsolute } from 'node:path'
import { known } from '../../model/observation.ts'
import { bannerSurface } from '../../settings/banners.ts'
import { assignmentsIn, effectiveOf, valueOf } from '../../settings/effective.ts'
import type { Surface } from '../../settings/surface.ts'
import { sshd } from './index.ts'

/** The text that sshd shows before a login. @see sshd_config(5), Banner */
export const sshBanner: Surface = bannerSurface(
  'ssh_banner',
  '`ssh_banner:text` is the text that sshd shows before login: the content of the `Banner` file, including those of `Match` blocks.',
  (files) => {
    const key = { section: '', key: 'Banner' }
    const installed = sshd.installed(files)
    if (installed.kind === 'unknown') return installed
    if (!installed.value) return known([])
    const assignments = assignmentsIn(files, sshd)
    if (assignments.kind === 'unknown') return assignments
    const effective = effectiveOf(sshd, assignments.value, key)
    if (effective.kind === 'unknown') return effective
    const named = effective.value.flatMap((each) => valueOf(each, sshd.rulesOf(key)) ?? [])
    return known([...new Set(named)].filter((path) => isAbsolute(path)))
  },
)
