import { known, type Reading } from '../../../model/observation.ts'
import {
  docker,
  dockerConfigFile,
  isDockerRootless,
  readDockerCertPath,
  readDockerCommand,
  readDockerSockets,
} from '../../../settings/docker.ts'
import { assignmentsIn } from '../../../settings/effective.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { namedByReading, namedByValues, type NamedPaths, readBy } from './paths.ts'

const UNIT_FILE = /\/systemd\/system\//

export function namedByDockerUnits(files: ConfigFiles): Reading<NamedPaths> {
  const service = readBy(files, { read: readDockerCommand })
  if (service.kind === 'unknown') return service
  const socket = readBy(files, { read: readDockerSockets })
  if (socket.kind === 'unknown') return socket
  return namedByReading(known([...service.value, ...socket.value].filter((path) => UNIT_FILE.test(path))))
}

export function namedByDockerEnvironment(files: ConfigFiles): Reading<NamedPaths> {
  const read = readBy(files, { read: readDockerCommand })
  return namedByReading(read.kind === 'unknown' ? read : known(read.value.filter((path) => !UNIT_FILE.test(path))))
}

/** The configuration file, unless it belongs to the user of a rootless daemon. */
export function namedByDockerConfig(files: ConfigFiles): Reading<NamedPaths> {
  return ofSystem(files, () => {
    const file = dockerConfigFile(files)
    return namedByReading(file.kind === 'unknown' ? file : known([file.value]))
  })
}

/** The files of a rootless daemon are those of its user. */
function ofSystem(files: ConfigFiles, read: () => Reading<NamedPaths>): Reading<NamedPaths> {
  const rootless = isDockerRootless(files)
  if (rootless.kind === 'unknown') return rootless
  return rootless.value ? namedByReading(known([])) : read()
}

/** The files of these options, or the default ones if TLS is configured. @see dockerd(8), --tlskey */
export function namedByDockerTls(files: ConfigFiles, options: Readonly<Record<string, string>>): Reading<NamedPaths> {
  return ofSystem(files, () => tlsFiles(files, options))
}

function tlsFiles(files: ConfigFiles, options: Readonly<Record<string, string>>): Reading<NamedPaths> {
  const all = assignmentsIn(files, docker)
  if (all.kind === 'unknown') return all
  const directory = readDockerCertPath(files)
  if (directory.kind === 'unknown') return directory
  const valuesOf = (name: string): readonly string[] =>
    all.value.filter(({ key }) => key === `/${name}`).map(({ value }) => value)
  const hasTls = ['tls', 'tlsverify'].some((name) => valuesOf(name).length > 0)
  const named = Object.entries(options).flatMap(([name, usual]) => {
    const values = valuesOf(name)
    return values.length === 0 && hasTls ? [`${directory.value}/${usual}.pem`] : values
  })
  return known(namedByValues(named))
}

/** @see dockerd(8), --data-root; versions before 23 also accept the older name graph. */
export function namedByDockerData(files: ConfigFiles): Reading<NamedPaths> {
  return ofSystem(files, () => dataDirectory(files))
}

function dataDirectory(files: ConfigFiles): Reading<NamedPaths> {
  const all = assignmentsIn(files, docker)
  if (all.kind === 'unknown') return all
  const named = all.value.filter(({ key }) => key === '/data-root' || key === '/graph').map(({ value }) => value)
  return namedByReading(known(named.length > 0 ? named : ['/var/lib/docker']))
}
