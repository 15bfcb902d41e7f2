import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isKnownParameter } from '../../../src/settings/postgresql/parameters.ts'
import { cannotAsk, type Files } from '../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

/** Where Debian has the programs of a server. */
export const PROGRAMS: { readonly postgres: string; readonly directory: string } | undefined = programs()

/** Where Debian has the configuration of the first cluster. */
export const CLUSTER = `/etc/postgresql/${basename(dirname(PROGRAMS?.directory ?? '/15/bin'))}/main`

/** Why no server can be asked here. */
export const noServer: string | undefined =
  PROGRAMS === undefined ? 'needs postgresql' : cannotAsk(['setpriv', 'psql'], 'root')

function programs(): typeof PROGRAMS {
  const all = '/usr/lib/postgresql'
  const [newest] = existsSync(all) ? readdirSync(all).toSorted().toReversed() : []
  const directory = `${all}/${newest}/bin`
  return newest !== undefined && existsSync(`${directory}/postgres`)
    ? { directory, postgres: `${directory}/postgres` }
    : undefined
}

/** A server that listens on a socket in a directory alone, and ends with the test. */
function startServer(): { readonly ask: (script: string) => string; readonly directory: string } {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o777)
  const as = (program: string, ...args: readonly string[]): string =>
    execFileSync('setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...args], {
      encoding: 'utf8',
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    })
  const at = (name: string): string => `${PROGRAMS?.directory}/${name}`
  const data = join(directory, 'data')
  as(at('initdb'), '--no-sync', '--auth=trust', '--no-locale', '-D', data)
  as('ln', '-sfn', '../current/postgresql.auto.conf', join(data, 'postgresql.auto.conf'))
  as(
    'sh',
    '-c',
    'mkdir first; : > first/postgresql.conf; echo local all all trust > first/pg_hba.conf; ln -s first current',
  )
  const options = `-c config_file=${directory}/current/postgresql.conf -c hba_file=${directory}/current/pg_hba.conf -c listen_addresses= -c unix_socket_directories=${directory} -c fsync=off`
  as(at('pg_ctl'), '-D', data, '-l', join(directory, 'log'), '-w', '-o', options, 'start')
  onTestFinished(() => {
    as(at('pg_ctl'), '-D', data, '-m', 'immediate', 'stop')
  })
  const script = join(directory, 'script.sql')
  return {
    directory,
    ask(text) {
      writeFileSync(script, text)
      return as('psql', '-XAtq', '-F', '\u001F', '-h', directory, '-d', 'postgres', '-f', script)
    },
  }
}

interface Place {
  /** Where the configuration lies on these machines. */
  readonly directory: string
  readonly data: string
}

/** What a server says of its files on each of these machines: the last value of each parameter, or that it refuses them. */
export function settingsOf(
  all: readonly Files[],
  place: Place,
): readonly (Readonly<Record<string, string>> | 'refused')[] {
  const rows = askEach(
    all,
    place,
    `SELECT name, encode(convert_to(setting, 'UTF8'), 'hex'), error FROM pg_file_settings ORDER BY seqno;`,
  )
  return rows.map((row) => {
    const values: Record<string, string> = {}
    for (const [name = '', hex = '', error = ''] of row) {
      // Version 18 takes an empty log_connections.
      const isInvalid = error === 'setting could not be applied' && hex !== '' && isKnownParameter(name.toLowerCase())
      if (isInvalid || /^(?:syntax error|could not|unrecognized)/.test(error)) return 'refused'
      if (name !== '') values[name.toLowerCase()] = Buffer.from(hex, 'hex').toString()
    }
    return values
  })
}

/** The answers to a query on each machine. */
export function askEach(all: readonly Files[], { directory, data }: Place, query: string): readonly string[][][] {
  const { ask, directory: server } = startServer()
  for (const [index, files] of all.entries()) {
    for (const [path, text] of Object.entries(files)) {
      const below = path.slice((path.startsWith(`${directory}/`) ? directory : data).length)
      const at = join(server, 'cases', String(index), below)
      mkdirSync(dirname(at), { recursive: true })
      writeFileSync(at, text)
    }
  }
  const script = all.map((_, index) => `\\! ln -sfn cases/${index} current\n\\echo CASE\n${query}\n`)
  const [, ...answers] = ask(script.join('')).split('CASE\n')
  return answers.map((answer) =>
    answer
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => row.split('\u001F')),
  )
}
