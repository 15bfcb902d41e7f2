import { known, unknown } from '../../model/observation.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { SYSCTL } from './subject.ts'

/** Parameters of the kernel as they are now; the files that set them are put back as files. */
export const parameter: UndoHandler<string> = {
  async look({ open }, name) {
    const seen = open(SYSCTL).read(name)
    if (seen.kind === 'absent') return unknown('not-observable', `the kernel has no parameter ${name}`)
    return seen.kind === 'unknown' ? seen : known(seen.state)
  },
  describe: (state) => state,
  putBack: (name, { before }, { remediator }) => remediator.open(SYSCTL).set(name, before),
}
