import { known, type Reading, unknown } from '../../../../model/observation.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { PROCESSES } from '../../../processes/subject.ts'

/** The kernel truncates process names to this length. */
const LONGEST_NAME_BYTES = 15

/** Measures whether a process with the kernel name is running. */
export function measureProcess({ request: { id }, target }: MeasureContext): Reading<Attributes> {
  if (Buffer.byteLength(id) > LONGEST_NAME_BYTES) {
    const why = `the kernel truncates process names to ${LONGEST_NAME_BYTES} bytes: use the truncated name`
    return unknown('invalid', `${id}: ${why}`)
  }
  const list = target.open(PROCESSES).list()
  if (list.kind === 'unknown') return list
  const { processes, unseen } = list.value
  const runs = processes.some(({ command }) => command === id)
  if (!runs && unseen !== undefined) return unseen
  return known({ running: () => known(runs) })
}
