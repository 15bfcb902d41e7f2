import { pathsIn } from '../host/paths-in.ts'
import { withBlanksOfC } from './blanks.ts'
import { dropInNames, templateOf } from '../host/systemd/unit-name.ts'
import { assignmentsIn, wordsOf } from '../host/systemd/unit-syntax.ts'
import { PERSISTENT_DIRECTORY, THIS_MACHINE } from '../host/systemd/place.ts'
import { known, type Reading, readLists, mapReading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import type { ConfigFiles } from './surface.ts'
import { DIRECTORIES, namesIn, systemdFiles, YES } from './systemd.ts'

const UNITS = 'systemd/system'

/** `/lib` is a directory of its own only where `/usr` is not merged. */
const UNIT_DIRECTORIES = [...DIRECTORIES, '/lib']

/** An effective line of a systemd unit. */
export type UnitLine = Pick<Assignment, 'key' | 'value' | 'file' | 'line'>

/** What is read of a machine for its units. */
export type UnitSource = Pick<ConfigFiles, 'text' | 'names' | 'real'>

/**
 * The lines of a section of a unit with its drop-ins, including drop-ins of other names that are aliases; undefined if there
 * is no such unit.
 */
export function readUnit(
  files: UnitSource,
  name: string,
  { section, others = [] }: { readonly section: string; readonly others?: readonly string[] },
): Reading<readonly UnitLine[] | undefined> {
  const aliases = others.filter((other) => other !== name && isSameUnit(files, name, other))
  const below = (names: readonly string[]): readonly string[] => names.map((each) => `${UNITS}/${each}`)
  const paths = systemdFiles(files, below(namesOf(name)), dropInNames(name, aliases).map(below), UNIT_DIRECTORIES)
  if (paths.kind === 'unknown') return paths
  if (paths.value.length === 0) return known(undefined)
  const lines = linesIn(files, paths.value, section)
  if (lines.kind === 'unknown') return lines
  // An empty value resets earlier ones.
  return known(
    lines.value.filter(
      ({ key, value }, index) =>
        value !== '' && !lines.value.slice(index).some((later) => later.key === key && later.value === ''),
    ),
  )
}

function linesIn(files: UnitSource, paths: readonly string[], section: string): Reading<readonly UnitLine[]> {
  return readLists(paths, (file) =>
    mapReading(files.text(file), (text) => assignmentsIn(text ?? '', section).map((each) => ({ ...each, file }))),
  )
}

const PACKAGED = ['/usr/lib', '/lib'].map((directory) => `${directory}/${UNITS}`)

/** How a service starts, and how its package starts it: by the unit or a drop-in that it installs. */
export interface ServiceStarts {
  readonly packaged: readonly string[]
  readonly effective: readonly UnitLine[]
  /** Conditions that no package sets, and commands that keep the service from starting. */
  readonly conditions: readonly UnitLine[]
  /** Commands before and after the start that no package sets. */
  readonly besides: readonly UnitLine[]
}

/** The commands of a service; undefined if no package has such a unit. */
export function readStarts(files: UnitSource, name: string): Reading<ServiceStarts | undefined> {
  for (const path of namesOf(name).flatMap((each) => PACKAGED.map((directory) => `${directory}/${each}`))) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    if (text.value === null) continue
    const others = assignmentsIn(text.value, 'Install')
      .filter(({ key }) => key === 'Alias')
      .flatMap(({ value }) => wordsOf(value))
    const service = readUnit(files, name, { section: 'Service', others })
    if (service.kind === 'unknown') return service
    const unit = readUnit(files, name, { section: 'Unit', others })
    if (unit.kind === 'unknown') return unit
    const effective = (service.value ?? []).filter(({ key }) => key === 'ExecStart')
    const own = assignmentsIn(text.value, 'Service').filter(({ key }) => key === 'ExecStart')
    const site = (service.value ?? []).filter((line) => !isOfPackage(line))
    return known({
      packaged: [...own, ...effective.filter(isOfPackage)].map(({ value }) => value),
      effective,
      besides: site.filter((line) => /^ExecStart(?:Pre|Post)$/.test(line.key)),
      conditions: [...(unit.value ?? []), ...(service.value ?? [])].filter(
        (line) => (/^(?:Condition|Assert|ExecCondition)/.test(line.key) || isFailure(line)) && !isOfPackage(line),
      ),
    })
  }
  return known(undefined)
}

/** A test, which may fail, or a failure. */
const FAILS = /(?:^|[ \t;&|"'(/])(?:false|test|\[|exit[ \t]+[1-9]\d*)(?=[ \t;&|"')]|$)/

/** Whether the command may fail, and so keep the service from starting. */
function isFailure({ key, value }: UnitLine): boolean {
  return key === 'ExecStartPre' && !/^[@:+!|]*-/.test(value) && FAILS.test(value)
}

function isOfPackage({ file }: UnitLine): boolean {
  return /^(?:\/usr)?\/lib\//.test(file)
}

/** The name of the program that a command line of a unit starts. */
export function programOf(command: string): string {
  return command
    .replace(/^[@\-:+!|]+/, '')
    .replace(withBlanksOfC(/\s.*$/s), '')
    .replace(/^.*\//, '')
}

/** Whether both names are links to the same file: an alias is a link, a copy is a separate unit. */
function isSameUnit(files: Pick<ConfigFiles, 'real'>, name: string, other: string): boolean {
  const [place, same] = [name, other].map((each) => placeOf(files, each))
  return place !== undefined && place === same
}

function placeOf(files: Pick<ConfigFiles, 'real'>, name: string): string | undefined {
  for (const directory of UNIT_DIRECTORIES) {
    const real = files.real(`${directory}/${UNITS}/${name}`)
    if (real.kind === 'known' && real.value !== null) return real.value
  }
  return undefined
}

/** Other services that start with the system and have such a line. Services that cannot be read are ignored. */
export function otherServices(
  files: UnitSource,
  own: readonly string[],
  isSought: (line: UnitLine) => boolean,
): readonly string[] {
  const services = SERVICES.get(files) ?? readServices(files)
  SERVICES.set(files, services)
  return services.flatMap(({ name, lines }) =>
    !namesOf(name).some((each) => own.includes(each)) && lines.some(isSought) ? [name] : [],
  )
}

interface EnabledService {
  readonly name: string
  readonly lines: readonly UnitLine[]
}

/** The enabled services of a snapshot, which many settings search. */
const SERVICES = new WeakMap<UnitSource, readonly EnabledService[]>()

function readServices(files: UnitSource): readonly EnabledService[] {
  return enabledServices(files).map((name) => ({
    name,
    lines: linesOf(readUnit(files, name, { section: 'Service' })),
  }))
}

function linesOf(unit: Reading<readonly UnitLine[] | undefined>): readonly UnitLine[] {
  return unit.kind === 'known' ? (unit.value ?? []) : []
}

/** The names of a unit that may be an instance of a template. */
export function namesOf(unit: string): readonly string[] {
  return [unit, templateOf(unit) ?? []].flat()
}

/** The services that start with the system, or by a socket that does. */
function enabledServices(files: UnitSource): readonly string[] {
  return enabledUnits(files).flatMap((name) => {
    if (name.endsWith('.service')) return [name]
    return name.endsWith('.socket') ? [serviceOf(files, name)] : []
  })
}

/** The sockets whose listeners a service takes. @see systemd.service(5), Sockets=, and systemd.socket(5), Service= */
export function socketsOf(files: UnitSource, service: string): readonly string[] {
  const named = linesOf(readUnit(files, service, { section: 'Service' })).filter(({ key }) => key === 'Sockets')
  const enabled = enabledUnits(files).filter((name) => name.endsWith('.socket') && serviceOf(files, name) === service)
  const own = service.replace(/service$/, 'socket')
  return [...new Set([own, ...named.flatMap(({ value }) => value.split(/[ \t]+/)), ...enabled])]
}

/** The units that start with the system. Directories that cannot be read are ignored. */
function enabledUnits(files: UnitSource): readonly string[] {
  const list = (directory: string): readonly string[] => {
    const names = files.names(directory)
    return names.kind === 'known' ? (names.value ?? []) : []
  }
  const units = UNIT_DIRECTORIES.map((directory) => `${directory}/${UNITS}`).flatMap((directory) =>
    list(directory)
      .filter((name) => /\.(?:wants|requires)$/.test(name))
      .flatMap((name) => list(`${directory}/${name}`)),
  )
  return [...new Set(units)]
}

/** The service that a socket starts. @see systemd.socket(5), Accept= and Service= */
function serviceOf(files: UnitSource, socket: string): string {
  const lines = linesOf(readUnit(files, socket, { section: 'Socket' }))
  const lastOf = (name: string): string => lines.findLast(({ key }) => key === name)?.value ?? ''
  return lastOf('Service') || socket.replace(/\.socket$/, YES.test(lastOf('Accept')) ? '@.service' : '.service')
}

/** Whether a unit starts with the system. */
export function isEnabledUnit(files: Pick<ConfigFiles, 'names' | 'real'>, unit: string): Reading<boolean> {
  const leadsTo = files.real(`${PERSISTENT_DIRECTORY}/${unit}`)
  if (leadsTo.kind === 'unknown') return leadsTo
  if (leadsTo.value === '/dev/null') return known(false)
  for (const directory of THIS_MACHINE.unitDirectories) {
    const wants = pathsIn(files, [directory], (name) => name.endsWith('.wants'))
    if (wants.kind === 'unknown') return wants
    const wanted = namesIn(files, wants.value)
    if (wanted.kind === 'unknown' || wanted.value.includes(unit))
      return wanted.kind === 'unknown' ? wanted : known(true)
  }
  return known(false)
}
