import { known, type Reading } from '../../../model/observation.ts'
import type { MountLine, ShadowedOptions } from '../mounts.ts'
import { findUnit } from '../../../host/systemd/find-unit.ts'
import { filesOf, PERSISTENT_DIRECTORY, type SystemdPlace } from '../../../host/systemd/place.ts'
import type { UnitDirectory } from '../../../host/systemd/unit-directories.ts'
import { assignmentsIn, wordsOf } from '../../../host/systemd/unit-syntax.ts'
import { readDropIns, readUnitTexts, type UnitText } from '../../../host/systemd/unit-texts.ts'

/** The name of the unit of a mount point. @see systemd-escape(1) */
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

/** The names below which the drop-ins of a unit lie: its own, every beginning of it that ends in a dash, and its type. */
function dropInNames(unit: string): readonly string[] {
  const parts = unit.slice(0, -'.mount'.length).split('-')
  const beginnings = parts.slice(1).map((_, index) => `${parts.slice(0, -1 - index).join('-')}-.mount`)
  return [unit, ...beginnings.filter((name) => name !== '-.mount'), 'mount']
}

/** A mount as a unit file says it. */
export type MountUnit =
  | { readonly kind: 'missing' }
  | { readonly kind: 'masked'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly texts: readonly UnitText[] }

/** Looks a unit up in some of the directories; its drop-ins come from `all` of them that last. */
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

/** The drop-ins of a mount whose unit is made of fstab. */
export function mountDropIns(
  place: SystemdPlace,
  directories: readonly UnitDirectory[],
  unit: string,
): Reading<readonly UnitText[]> {
  return readDropIns(filesOf(place), directories, dropInNames(unit))
}

/** Every place that says options, in the order in which they take each other's place. */
export function optionsIn(texts: readonly UnitText[]): readonly ShadowedOptions[] {
  return texts.flatMap(({ path, text }) =>
    assignmentsIn(text, 'Mount')
      .filter(({ key }) => key === 'Options')
      .map(({ value, line }) => ({ file: path, line, options: value.replaceAll('%%', '%') })),
  )
}

/** Whether a unit was made of fstab or of boot arguments, maybe of what they were before. */
export function isMadeOfFstab(texts: readonly UnitText[]): boolean {
  const sources = texts.flatMap(({ text }) => assignmentsIn(text, 'Unit').filter(({ key }) => key === 'SourcePath'))
  return sources.some(({ value }) => value === '/etc/fstab' || value === '/proc/cmdline')
}

/** Where a fix says options of a unit: read after all whose names start with a digit or a small letter before z. */
export function ownDropIn(unit: string): string {
  return `${PERSISTENT_DIRECTORY}/${unit}.d/${OWN_NAME}`
}

const OWN_NAME = 'zz-driftgate.conf'

/** The last of the lines that still counts once our drop-in is there. */
export function overruling(said: readonly ShadowedOptions[], unit: string): MountLine | undefined {
  const last = said.findLast(
    ({ file }) => file !== ownDropIn(unit) && /\.d\/[^/]*$/.test(file) && nameOf(file) > OWN_NAME,
  )
  return last === undefined ? undefined : { file: last.file, line: last.line }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * Whether something starts the unit of a mount with the system: a link among those that enabling makes, that of its
 * automount, or what basic.target says, which is how /tmp, /var and /var/tmp come about.
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
  const isNeeded = paths.some((each) => each === path || each.startsWith(`${path === '/' ? '' : path}/`))
  return known(isNeeded || words(['Wants', 'Requires']).includes(unit))
}
