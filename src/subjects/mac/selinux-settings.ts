import { type Reading, mapReading } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { Format } from '../../settings/formats/format.ts'
import { lineFormat } from '../../settings/formats/lines.ts'
import { parseAll } from '../../settings/reading.ts'
import type { ConfigFiles, KeyRules, Surface } from '../../settings/surface.ts'
import { FOLDED } from '../../settings/values.ts'

/** SELinux configuration read at boot. */
export const SELINUX_CONFIG = '/etc/selinux/config'

/** As libselinux parses it: no space before the equals sign, and before SELINUXTYPE alone. */
export const selinuxFormat: Format = lineFormat({
  name: 'selinux',
  assignment: /^(?<lead>\s*(?=SELINUXTYPE=)|)(?<key>[A-Z]+)(?<between>=\s*)(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*#/,
  between: '=',
})

const KEYS: Readonly<Record<string, KeyRules>> = {
  SELINUX: {
    order: FOLDED,
    wins: 'first',
    takes: (value) => /^(?:enforcing|permissive|disabled)/i.test(value),
  },
  SELINUXTYPE: { order: FOLDED, wins: 'last' },
}

/** SELinux settings for the next boot. */
export const selinux: Surface = {
  name: 'selinux',
  summary:
    'The file `/etc/selinux/config`, which takes effect after a reboot. Conflicting lines of a key are an error. A fix edits the line.',
  risk: RISKS.boot,
  installed: (files) => files.exists(SELINUX_CONFIG),
  keyOf: (text) =>
    Object.hasOwn(KEYS, text)
      ? { section: '', key: text }
      : { problem: `is unknown: use one of ${Object.keys(KEYS).join(', ')}` },
  rulesOf: ({ key }) => KEYS[key] ?? { order: FOLDED, wins: 'last' },
  read: readSelinux,
  writes: () => ({ file: SELINUX_CONFIG, format: selinuxFormat }),
  activation: { kind: 'reboot', why: 'SELinux reads its configuration at boot' },
}

/** Programs differ in which of several lines is effective. */
function readSelinux(files: ConfigFiles): Reading<readonly Assignment[]> {
  return mapReading(parseAll(files, [SELINUX_CONFIG], selinuxFormat), (read) =>
    read.map((each) => {
      const other = read.find(({ key, value }) => key === each.key && value !== each.value)
      return other === undefined
        ? each
        : { ...each, unclear: `${each.key} is also set to ${other.value} in line ${other.line}` }
    }),
  )
}
