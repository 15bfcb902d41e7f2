import { dirname, resolve } from 'node:path'
import { known, type Reading, unknown, readLists } from '../../../model/observation.ts'
import { nginx } from '../../../settings/nginx/index.ts'
import { mainOf, type Placed, readIncludeDirectories, readPlaced } from '../../../settings/nginx/read.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { namedByReading, type NamedPaths, readBy, rotatedOf, unique } from './paths.ts'

/** Units of other services are read to find a second nginx, but they are not its configuration. */
const UNIT_OF_OTHERS = /\/systemd\/system\/(?!nginx\.)/

/** The configuration with its includes, and the unit with its drop-ins. */
export function namedByNginxFiles(files: ConfigFiles): Reading<NamedPaths> {
  const read = readBy(files, nginx)
  const directories = readIncludeDirectories(files)
  const modules = namedByNginx(files, { directive: /^load_module$/, isNoFile: /^$/, base: '/usr/share/nginx' })
  if (read.kind === 'unknown' || directories.kind === 'unknown' || modules.kind === 'unknown')
    return read.kind === 'unknown' ? read : directories.kind === 'unknown' ? namedByReading(directories) : modules
  const own = read.value.filter((path) => !UNIT_OF_OTHERS.test(path))
  return namedByReading(known([...own, ...directories.value, ...modules.value.paths]))
}

/** The main process writes it as root. @see https://nginx.org/en/docs/ngx_core_module.html#pid */
export function namedByNginxPid(files: ConfigFiles): Reading<NamedPaths> {
  return namedByNginx(files, { directive: /^pid$/, isNoFile: /^off$/, base: '/usr/share/nginx' })
}

/** @see https://nginx.org/en/docs/http/ngx_http_ssl_module.html#ssl_certificate_key */
export function namedByNginxKeys(files: ConfigFiles): Reading<NamedPaths> {
  return namedByNginx(files, {
    directive: /(?:ssl_certificate_key|ssl_password_file|ssl_session_ticket_key)$/,
    isNoFile: /^(?:data|engine|store):/,
    base: dirname(mainOf(files)),
  })
}

/** @see https://nginx.org/en/docs/http/ngx_http_log_module.html#access_log */
export function namedByNginxLogs(files: ConfigFiles): Reading<NamedPaths> {
  const named = namedByNginx(files, {
    directive: /^(?:access|error)_log$/,
    isNoFile: /^(?:off|stderr|syslog:.*|memory:.*|\/dev\/.*)$/,
    base: '/usr/share/nginx',
  })
  if (named.kind === 'unknown') return named
  const rotated = readLists(named.value.paths, (path) => rotatedOf(files, path))
  if (rotated.kind === 'unknown') return rotated
  return known({ ...named.value, paths: unique([...named.value.paths, ...rotated.value]) })
}

interface NginxNames {
  readonly directive: RegExp
  readonly isNoFile: RegExp
  /** The directory of relative paths. */
  readonly base: string
}

function namedByNginx(files: ConfigFiles, { directive, isNoFile, base }: NginxNames): Reading<NamedPaths> {
  const placed = readPlaced(files)
  if (placed.kind === 'unknown') return placed
  const all = firstArguments(placed.value, directive)
  const unclear = all
    .filter(({ path }) => path.includes('$'))
    .map(({ path, file, line }) => unknown('not-observable', `${file}:${line}: cannot resolve the file ${path}`))
  const paths = all.filter(({ path }) => !path.includes('$') && !isNoFile.test(path))
  return known({ paths: unique(paths.map(({ path }) => resolve(base, path))), strays: [], unclear })
}

function firstArguments(
  placed: readonly Placed[],
  directive: RegExp,
): readonly { readonly path: string; readonly file: string; readonly line: number }[] {
  return placed.flatMap(({ name, args: [path], file, line, block }) => [
    ...(directive.test(name) && path !== undefined ? [{ path, file, line }] : []),
    ...firstArguments(block ?? [], directive),
  ])
}
