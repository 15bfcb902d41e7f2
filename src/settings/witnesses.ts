import { openWitnesses } from '../host/live/witness.ts'
import type { ReadableSubject } from '../host/target.ts'
import type { Witnesses } from '../host/witness.ts'

/** Only a running system is queried, through its own programs. */
export const WITNESSES: ReadableSubject<Witnesses> = {
  name: 'witnesses',
  read: {
    live: () => openWitnesses(),
    atRest: () => SILENT,
    answering: () => SILENT,
  },
}

const SILENT: Witnesses = { ask: () => Promise.resolve(undefined), forget: () => undefined }
