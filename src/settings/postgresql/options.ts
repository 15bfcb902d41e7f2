import { wordsOf } from '../blanks.ts'
import { dirname } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { splitWords } from '../../model/shell-split.ts'
import type { Assignment } from '../assignment.ts'
import { type CommandWord, readServiceCommand, shortOptions } from '../service-command.ts'
import type { ConfigFiles } from '../surface.ts'
import { DIRECTORIES, namesIn } from '../systemd.ts'
import { postgresqlFormat } from './format.ts'

/** Parameters set by switches of the server. @see postgres(1) */
const SWITCHES: Readonly<Record<string, readonly [key: string, value: string]>> = {
  F: ['fsync', 'off'],
  O: ['allow_system_table_mods', 'on'],
  P: ['ignore_system_indexes', 'on'],
  i: ['listen_addresses', '*'],
  l: ['ssl', 'on'],
}

/** The key of `-D`. */
export const DIRECTORY = '-D'

const VALUED: Readonly<Record<string, string>> = {
  // Where the server looks for its files: the parameter data_directory may name other data.
  D: DIRECTORY,
  N: 'max_connections',
  h: 'listen_addresses',
  k: 'unix_socket_directories',
  p: 'port',
}

/** What a service of its own runs; `postgresql.service` of Debian runs nothing but starts the clusters. */
const SERVERS = ['postgres', 'postmaster', 'pg_ctl', 'true']

/** The parameters on the command line of a cluster of Debian, which override those of its files. @see pg_ctlcluster(1) */
export function readClusterOptions(files: ConfigFiles, main: string): Reading<readonly Assignment[]> {
  const [, version, name] = /^\/etc\/postgresql\/([^/]+)\/([^/]+)\//.exec(main) ?? []
  if (version === undefined) return known([])
  const own = readPgCtlWords(files, dirname(main))
  if (own.kind === 'unknown') return own
  const unit = readServiceCommand(
    files,
    [`postgresql@${version}-${name}.service`, 'postgresql@.service'],
    ['pg_ctlcluster'],
  )
  if (unit.kind === 'unknown') return unit
  const words = handedOn([...own.value, ...unit.value])
  return words.kind === 'unknown' ? words : parametersOf(words.value)
}

/** The parameters on the command lines of servers that are services of their own, as on Red Hat, service by service. */
export function readServiceOptions(files: ConfigFiles): Reading<readonly (readonly Assignment[])[]> {
  const units = namesIn(
    files,
    DIRECTORIES.map((directory) => `${directory}/systemd/system`),
  )
  if (units.kind === 'unknown') return units
  const all: (readonly Assignment[])[] = []
  for (const unit of units.value.filter((name) => /^postgresql(?:-\d+)?\.service$/.test(name))) {
    const words = readServiceCommand(files, [unit], SERVERS)
    if (words.kind === 'unknown') return words
    const handed = handedOn(words.value)
    if (handed.kind === 'unknown') return handed
    const parameters = parametersOf(words.value)
    if (parameters.kind === 'unknown') return parameters
    const byPgCtl = parametersOf(handed.value)
    if (byPgCtl.kind === 'unknown') return byPgCtl
    // The other options of pg_ctl have the letters of those of the server.
    const isPgCtl = words.value.some(({ text }) => text === 'start')
    all.push([...parameters.value.filter(({ key }) => !isPgCtl || key === DIRECTORY), ...byPgCtl.value])
  }
  return known(all)
}

/** The words of `pg_ctl.conf`: pg_ctlcluster splits them at blanks, within quotes, too. */
function readPgCtlWords(files: ConfigFiles, directory: string): Reading<readonly CommandWord[]> {
  for (const path of [`${directory}/pg_ctl.conf`, '/etc/postgresql-common/pg_ctl.conf']) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    if (text.value === null) continue
    const parsed = postgresqlFormat.parse(text.value, path)
    if (parsed.kind === 'unknown') return parsed
    const option = parsed.value.findLast(({ key, unclear }) => /^pg_ctl_options$/i.test(key) || unclear !== undefined)
    if (option === undefined) return known([])
    const { value, line, unclear } = option
    if (unclear !== undefined) return unknown('invalid', `${path}:${line}: ${unclear}`)
    const words = wordsOf(value)
    const stray = words.find(
      (word, index) => !word.startsWith('-') && !/^(?:-[DelmNopPStU]|--options)$/.test(words[index - 1] ?? ''),
    )
    if (stray !== undefined)
      return unknown('invalid', `${path}:${line}: pg_ctl rejects ${stray}, so the server does not start`)
    return known(words.map((word) => ({ text: word, file: path, line })))
  }
  return known([])
}

/** The words that pg_ctl hands to the server by a shell. @see pg_ctl(1), -o */
function handedOn(words: readonly CommandWord[]): Reading<readonly CommandWord[]> {
  const all: CommandWord[] = []
  for (const [index, { text, file, line }] of words.entries()) {
    const joined = /^(?:-o|--options=)(.+)$/s.exec(text)?.[1]
    const apart = /^(?:-o|--options)$/.test(text) ? words[index + 1]?.text : undefined
    const option = joined ?? apart ?? ''
    const split = splitWords(option)
    if (!split.ok) return unknown('invalid', `${file}:${line}: ${option}: ${split.problem}`)
    if (/[$`]/.test(option)) return unknown('not-observable', `${file}:${line}: the expansion of ${option} is unknown`)
    all.push(...split.words.map((word) => ({ text: word, file, line })))
  }
  return known(all)
}

function parametersOf(words: readonly CommandWord[]): Reading<readonly Assignment[]> {
  const options = shortOptions(words, 'BCDNSWcdfhkoprt-')
  if (options.kind === 'unknown') return options
  return known(
    options.value.flatMap(({ letter, value: written = '', file, line }) => {
      const [, name = '', set = 'on'] = /^([^=]+)(?:=(.*))?$/s.exec(written) ?? []
      const [key, value] =
        letter === 'c' || letter === '-'
          ? [name.replaceAll('-', '_'), set]
          : (SWITCHES[letter] ?? [VALUED[letter], written])
      return key === undefined ? [] : [{ section: '', key, value, file, line }]
    }),
  )
}
