import { known, type Reading, mapReading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { readOnlyCommand } from './service-command.ts'
import { readSystemd, systemdSurface } from './systemd.ts'
import { text } from './systemd-values.ts'
import type { ConfigFiles, Surface } from './surface.ts'

const UNIT = 'systemd-journal-upload.service'
const PROGRAM = 'systemd-journal-upload'

/** The options of its command line, which win over the files. @see systemd-journal-upload.service(8) */
const OPTIONS: Readonly<Record<string, string>> = {
  '-u': 'URL',
  '--url': 'URL',
  '--key': 'ServerKeyFile',
  '--cert': 'ServerCertificateFile',
  '--trust': 'TrustedCertificateFile',
}

export const journalUpload: Surface = {
  ...systemdSurface({
    name: 'journal-upload',
    section: 'Upload',
    program: PROGRAM,
    activation: { kind: 'restart', unit: UNIT },
    rulesOf: () => text(),
  }),
  read(files) {
    const written = readSystemd(files, 'systemd/journal-upload.conf')
    if (written.kind === 'unknown') return written
    const options = readOptions(files)
    return options.kind === 'unknown' ? options : known([...written.value, ...options.value])
  },
}

function readOptions(files: ConfigFiles): Reading<readonly Assignment[]> {
  return mapReading(readOnlyCommand(files, [UNIT], [PROGRAM]), (words) =>
    words.flatMap(({ text: word, file, line }, index) => {
      const [, name = '', value = words[index + 1]?.text] = /^(-u|--[a-z]+)=?(.+)?$/s.exec(word) ?? []
      const key = OPTIONS[name]
      return key === undefined || value === undefined ? [] : [{ section: 'Upload', key, value, file, line }]
    }),
  )
}
