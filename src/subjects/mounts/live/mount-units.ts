import { baseName } from '../../../model/file-name.ts'
import { known, type Reading } from '../../../model/observation.ts'
import { isWithin } from '../../../model/path-rules.ts'
import type { MountLine, ShadowedOptions } from '../mounts.ts'
import { findUnit } from '../../../host/systemd/find-unit.ts'
import { filesOf, PERSISTENT_DIRECTORY, type SystemdPlace } from '../../../host/systemd/place.ts'
import { dropInNames } from '../../../host/systemd/unit-name.ts'
import type { UnitDirectory } from '../../../host/systemd/unit-directories.ts'
import { assignmentsIn, wordsOf } from '../../../host/systemd/unit-syntax.ts'
import { readDropIns, readUnitTexts, type UnitText } from '../../../host/systemd/unit-texts.ts'

/** The unit name of a mount point. @see systemd-escape(1) */
export function mountUnit(path: string): string {
  if (path === '/') return '-.mount'
  const escaped = [...Buffer.from(path.replace(/^\//, ''))].map((byte, index) => {
    const character = String.fromCharCode(byte)
    if (character === '/') return '-'
    const isPlain = /[A-Za-z0-9:_.]/.test(character) && !(index === 0 && character === '.')
    return isPlain ? character : `\\x${byte.toString(16).padStart(2, '0')}`
  })
  return `${escaped.join('')}.mount`
}

export type MountUnit =
  | { readonly kind: 'missing' }
  | { readonly kind: 'masked'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly texts: readonly UnitText[] }

/** Finds a unit in some of the directories; its drop-ins come from the persistent ones in `all`. */
export function findMountUnit(
  place: SystemdPlace,
  unit: string,
  { among, all }: { readonly among: readonly UnitDirectory[]; readonly all: readonly UnitDirectory[] },
): Reading<MountUnit> {
  const found = findUnit(place, among, unit)
  if (found.kind === 'unknown') return found
  if (found.value.kind === 'missing') return known({ kind: 'missing' })
  if (found.value.kind === 'masked') return known({ kind: 'masked', path: found.value.path })
  const { path } = found.value
  const texts = readUnitTexts(filesOf(place), all, { ...found.value, dropInsOf: dropInNames(unit) })
  return texts.kind === 'unknown' ? texts : known({ kind: 'file', path, texts: texts.value })
}

/** The drop-ins of a mount unit generated from fstab. */
export function mountDropIns(
  place: SystemdPlace,
  directories: readonly UnitDirectory[],
  unit: string,
): Reading<readonly UnitText[]> {
  return readDropIns(filesOf(place), directories, dropInNames(unit))
}

/** The lines that set options, in order of precedence. */
export function optionsIn(texts: readonly UnitText[]): readonly ShadowedOptions[] {
  return texts.flatMap(({ path, text }) =>
    assignmentsIn(text, 'Mount')
      .filter(({ key }) => key === 'Options')
      .map(({ value, line }) => ({ file: path, line, options: value.replaceAll('%%', '%') })),
  )
}

/** Whether a unit was generated from fstab or boot arguments, perhaps from an earlier version of them. */
export function isMadeOfFstab(texts: readonly UnitText[]): boolean {
  const sources = texts.flatMap(({ text }) => assignmentsIn(text, 'Unit').filter(({ key }) => key === 'SourcePath'))
  return sources.some(({ value }) => value === '/etc/fstab' || value === '/proc/cmdline')
}

/** The drop-in that a fix writes. It sorts after all names that start with a digit or a lowercase letter before z. */
export function ownDropIn(unit: string): string {
  return `${PERSISTENT_DIRECTORY}/${unit}.d/${OWN_NAME}`
}

const OWN_NAME = 'zz-driftgate.conf'

/** The last line that still overrides the drop-in of driftgate. */
export function findOverride(said: readonly ShadowedOptions[], unit: string): MountLine | undefined {
  const last = said.findLast(
    ({ file }) => file !== ownDropIn(unit) && /\.d\/[^/]*$/.test(file) && baseName(file) > OWN_NAME,
  )
  return last === undefined ? undefined : { file: last.file, line: last.line }
}

/**
 * Whether the mount unit is started at boot: by an enablement link, by its automount unit, or by basic.target, as for
 * /tmp, /var and /var/tmp.
 */
export function isStarted(
  place: SystemdPlace,
  directories: readonly UnitDirectory[],
  { unit, path }: { readonly unit: string; readonly path: string },
): Reading<boolean> {
  const names = [unit, unit.replace(/\.mount$/, '.automount')]
  if (names.some((name) => directories.some(({ dependencies }) => dependencies.has(name)))) return known(true)
  const basic = findMountUnit(place, 'basic.target', { among: directories, all: [] })
  if (basic.kind === 'unknown') return basic
  const said = basic.value.kind === 'file' ? basic.value.texts.flatMap(({ text }) => assignmentsIn(text, 'Unit')) : []
  const words = (keys: readonly string[]): readonly string[] =>
    said.filter(({ key }) => keys.includes(key)).flatMap(({ value }) => wordsOf(value))
  const paths = words(['RequiresMountsFor', 'WantsMountsFor'])
  const isNeeded = paths.some((each) => isWithin(each, path))
  return known(isNeeded || words(['Wants', 'Requires']).includes(unit))
}
