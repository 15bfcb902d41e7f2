import type { Parcel } from './parcel.ts'
import type { ProgramFile } from './program-file.ts'

/** What the scanner on the far side is to do, and how it gets there. The same for every place. */
export interface ScanOrder {
  readonly parcel: Parcel
  /** What is copied where driftgate is not installed; nothing can be copied where it is absent. */
  readonly program: ProgramFile | undefined
  /** What the scanner is started by, such as `sudo -n`. */
  readonly become: readonly string[]
}
