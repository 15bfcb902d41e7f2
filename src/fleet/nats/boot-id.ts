import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'

const PLACE = '/proc/sys/kernel/random/boot_id'
const LARGEST_BYTES = 4096

/** Boot id of this machine; undefined if unknown. */
export function bootId(): string | undefined {
  try {
    const id = readWhole(PLACE, LARGEST_BYTES).toString('utf8').trim()
    return id === '' ? undefined : id
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
