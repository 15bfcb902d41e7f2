import { unknown } from '../../model/observation.ts'
import type { KeyName } from '../../settings/assignment.ts'
import { ini } from '../../settings/formats/ini.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import type { ConfigFiles, KeyRules, Surface } from '../../settings/surface.ts'
import { synonyms, VALUES } from '../../settings/values.ts'

const PLACES = ['/etc/gdm3/custom.conf', '/etc/gdm3/daemon.conf', '/etc/gdm/custom.conf'] as const

const BOOLEAN: KeyRules = { order: synonyms(['true', '1'], ['false', '0']), wins: 'last' }

const KEYS: Readonly<Record<string, KeyRules>> = {
  'xdmcp.Enable': { ...BOOLEAN, default: 'false' },
  'daemon.AutomaticLoginEnable': { ...BOOLEAN, default: 'false' },
  'daemon.TimedLoginEnable': { ...BOOLEAN, default: 'false' },
  'daemon.WaylandEnable': { ...BOOLEAN, default: 'true' },
}

/** GNOME display manager. A fix does not restart it, which would end sessions. */
export const gdm: Surface = {
  name: 'gdm',
  summary:
    'The first existing file of `/etc/gdm3/custom.conf`, `/etc/gdm3/daemon.conf` and `/etc/gdm/custom.conf`; the last line of a key wins. A fix edits that file.',
  installed: (files) => anyExists(files, [...PLACES, '/usr/sbin/gdm3', '/usr/sbin/gdm']),
  keyOf(text): KeyName | { readonly problem: string } {
    const [, section, key] = /^([A-Za-z]+)\.([A-Za-z]+)$/.exec(text) ?? []
    return section === undefined || key === undefined
      ? { problem: 'must be SECTION.KEY, such as xdmcp.Enable' }
      : { section, key }
  },
  rulesOf: ({ section, key }) => KEYS[`${section}.${key}`] ?? { order: VALUES, wins: 'last' },
  read(files) {
    // Both exist if a user has created the file that only other builds read.
    const [custom, daemon] = PLACES.map((path) => files.exists(path))
    const areBoth = [custom, daemon].every((seen) => seen?.kind === 'known' && seen.value)
    if (areBoth)
      return unknown(
        'not-observable',
        `both ${PLACES[0]} and ${PLACES[1]} exist: remove the one that gdm does not read`,
      )
    return parseAll(files, [placeOf(files)], ini)
  },
  writes: (files) => ({ file: placeOf(files), format: ini }),
  activation: { kind: 'reboot', why: 'the display manager reads its configuration when it starts' },
}

/** File that the build reads: the one shipped with it. */
function placeOf(files: ConfigFiles): string {
  const present = PLACES.find((path) => {
    const seen = files.exists(path)
    return seen.kind === 'known' && seen.value
  })
  return present ?? PLACES[0]
}
