import { systemdSurface } from './systemd.ts'
import { text } from './systemd-values.ts'
import type { Surface } from './surface.ts'

/** systemd's upload of the journal. */
export const journalUpload: Surface = systemdSurface({
  name: 'journal-upload',
  section: 'Upload',
  program: 'systemd-journal-upload',
  activation: { kind: 'restart', unit: 'systemd-journal-upload.service' },
  rulesOf: () => text(),
})
