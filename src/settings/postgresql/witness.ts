import { defined } from '../../model/defined.ts'
import type { Testimony } from '../../host/witness.ts'
import { type ConfigFiles, SILENT, type WitnessAnswer, type WitnessQuestion } from '../surface.ts'
import {
  type Cluster,
  clustersOf,
  dataDirectory,
  lastOf,
  programOf,
  readConfiguration,
  readOptions,
} from './clusters.ts'
import { DIRECTORY } from './options.ts'

/** The question sets these, so that the errors of a rejected configuration reach no log, and are in English. */
const REPORTING = ['log_destination=stderr', 'lc_messages=C']
const REPORTED = /^(?:log_destination|lc_messages)$/

/** The parameter that is asked for if only the validity of the configuration is of interest. */
const ANY = 'port'

/** Connection strings and commands may have a password, which other users could see in the list of processes. */
const mayBeSecret = (key: string, value: string): boolean => /_(?:command|conninfo)$/i.test(key) || /[=@]/.test(value)

/**
 * Asks the program of each cluster as its owner: it takes a file that the owner cannot read for a missing one. It prints
 * a value in a unit of its own, so it is also asked how it prints ours. It is only asked for parameters that our reading
 * has a value of, and thus not for those that it computes, for which it would lock the data directory.
 * @see postgres(1), "-C"
 */
export function askServers(files: ConfigFiles, key: string, builtIn: string | undefined): readonly WitnessQuestion[] {
  const clusters = clustersOf(files)
  return clusters.kind === 'unknown'
    ? []
    : clusters.value.flatMap((each) => questionOf(files, each, key, builtIn) ?? [])
}

function questionOf(
  files: ConfigFiles,
  cluster: Cluster,
  key: string,
  builtIn: string | undefined,
): WitnessQuestion | undefined {
  const [read, options, program] = [
    readConfiguration(files, cluster),
    readOptions(files, cluster),
    programOf(files, cluster),
  ]
  if (read.kind === 'unknown' || options.kind === 'unknown' || program === undefined) return undefined
  const data = dataDirectory(cluster.main, read.value)
  const owner = files.attributes(data)
  if (owner.kind === 'unknown' || owner.value === null || owner.value.uid === 0 || owner.value.gid === 0)
    return undefined
  const { uid, gid } = owner.value
  const own = options.value.filter((each) => each.key !== DIRECTORY).map((each) => `${each.key}=${each.value}`)
  const command = (name: string, ...more: readonly string[]): readonly [string, ...string[]] => [
    program,
    '-C',
    name,
    '-D',
    data,
    ...[...own, `config_file=${cluster.main}`, ...REPORTING, ...more].flatMap((set) => ['-c', set]),
  ]
  const about = { manner: { user: { uid, gid } }, ...defined({ scope: cluster.scope }) }
  const ours = lastOf(read.value, key)?.value ?? builtIn
  if (ours === undefined || REPORTED.test(key))
    return { ...about, commands: [command(ANY)], hear: ([answer]) => refusalIn(answer) ?? SILENT }
  const plain = command(key)
  return {
    ...about,
    commands: mayBeSecret(key, ours) ? [plain] : [command(key, `${key}=${ours}`), plain],
    hear: (answers) => heardOf(answers, ours),
  }
}

function heardOf(answers: readonly [Testimony, ...Testimony[]], ours: string): WitnessAnswer {
  const [answer = answers[0], converted] = answers.toReversed()
  const refusal = refusalIn(answer)
  if (refusal !== undefined) return refusal
  const complaints = answer.stderr.split('\n').filter((line) => line !== '' && !MISSING.test(line))
  if (answer.exitCode !== 0 || complaints.length > 0 || answer.stdout.includes('\uFFFD')) return SILENT
  const isOurs = converted?.exitCode === 0 && converted.stdout === answer.stdout
  return { kind: 'said', value: isOurs ? ours : answer.stdout.replace(/\n$/, '') }
}

/** A file that is missing and may be, such as one of `include_if_exists`. */
const MISSING = /LOG: {2}skipping missing configuration file /

/** A question about an unknown parameter fails, too, but does not name a file. */
function refusalIn({ exitCode, stderr }: Testimony): WitnessAnswer | undefined {
  if (exitCode === 0 || !/FATAL: .*configuration (?:file|directory) "/.test(stderr)) return undefined
  const lines = stderr.split('\n').filter((line) => !MISSING.test(line))
  const [, words = ''] = lines.map((line) => /(?:LOG|FATAL): +(.*)/.exec(line)).find((found) => found !== null) ?? []
  return { kind: 'refused', words: `postgres -C: ${words}` }
}
