import type { KeyName } from '../../settings/assignment.ts'
import { type ConfigFiles, type WitnessAnswer, SILENT, type WitnessQuestion } from '../../settings/surface.ts'
import type { Testimony } from '../../host/witness.ts'
import { readCommandLine } from './command-line.ts'
import { readSshdConfig } from './config.ts'
import { findKeyword } from './keywords.ts'
import { canonicalOf } from './value.ts'

const SERVER = '/usr/sbin/sshd'
const MAIN = '/etc/ssh/sshd_config'

/** Keywords that `sshd -T` prints in another form than the files: with bound values, unquoted, or as numbers. */
const OTHERWISE = new Set([
  'addressfamily',
  'hostcertificate',
  'hostkey',
  'ipqos',
  'listenaddress',
  'logverbose',
  'permitlisten',
  'permitopen',
  'persourcenetblocksize',
  'persourcepenalties',
  'port',
  'rekeylimit',
  'setenv',
  'streamlocalbindmask',
  'subsystem',
  'unusedconnectiontimeout',
])

/** Asks the server with the arguments of its unit. @see sshd(8), "-T" */
export function askServer(
  files: ConfigFiles,
  { key }: KeyName,
  { match }: { readonly match?: string },
): readonly WitnessQuestion[] {
  const line = readCommandLine(files)
  if (OTHERWISE.has(key.toLowerCase()) || line.kind === 'unknown') return []
  const { options, main = MAIN } = line.value
  const config = readSshdConfig(files, main)
  if (config.kind === 'unknown' || config.value === null) return []
  const blocks = config.value.statements.flatMap((statement) => statement.blocks)
  const who = match === undefined ? [] : connectionOf(match)
  // Without a connection sshd rejects LocalPort and misreads the criteria of blocks for all users.
  if (who === undefined || (match === undefined && blocks.some(({ text }) => SPECIAL.test(text)))) return []
  // A list that removes all algorithms is printed as if it removed no algorithm.
  const own = [...options, ...config.value.statements].filter(({ keyword }) => keyword === key.toLowerCase())
  if (own.some(({ text }) => /^-(?:.*,)?\*+(?:,|$)/.test(text))) return []
  const set = options.flatMap(({ keyword, text }) => ['-o', `${keyword}=${text}`])
  const command = [SERVER, '-T', ...(main === MAIN ? [] : ['-f', main]), ...set, ...who] as const
  return [{ commands: [command], hear: ([answer]) => heardOf(answer, key) }]
}

const SPECIAL = /\b(?:localport|all)\b/i

/** sshd treats a missing criterion as not matching, so all must be named; it reads groups from the system. */
function connectionOf(match: string): readonly string[] | undefined {
  const names = match.split(',').map((part) => part.split('=', 1)[0]?.trim())
  const isWhole = ['user', 'host', 'addr'].every((each) => names.includes(each)) && !names.includes('group')
  return isWhole ? ['-C', match] : undefined
}

/** A server without host keys, or that was never started, cannot be queried. */
const REFUSED = /^\S+ ?:? line \d+: .*$/m

function heardOf({ exitCode, stdout, stderr }: Testimony, key: string): WitnessAnswer {
  if (exitCode !== 0) {
    const [words] = REFUSED.exec(stderr) ?? []
    return words === undefined ? SILENT : { kind: 'refused', words: `sshd -T: ${words}` }
  }
  const name = key.toLowerCase()
  const values = stdout
    .split('\n')
    .filter((line) => line.split(' ', 1)[0]?.toLowerCase() === name)
    .map((line) => line.slice(name.length + 1))
  // sshd prints nothing for an empty list.
  const keyword = findKeyword(name)
  if (values.length === 0) return keyword?.unset === '' ? { kind: 'said', value: '' } : SILENT
  const value = values.join(' ')
  return {
    kind: 'said',
    value: ((keyword?.kind === 'choice' || keyword?.kind === 'path') && canonicalOf(keyword, value)) || value,
  }
}
