import type { Format } from '../../settings/formats/format.ts'
import { type ConfigFiles, OWN_HEAD, type Writing } from '../../settings/surface.ts'
import { serverFormat } from './format.ts'
import { parseSshdLine } from './line.ts'

/** Where a fix writes lines of a program. */
export interface Destination {
  readonly main: string
  /** The name of its directory of drop-ins in /etc/ssh. */
  readonly directory: string
  readonly format: Format
  /** Permission bits of a new file. */
  readonly mode: number
  /** A script of sh that fails and says why if the configuration `$1` is rejected. */
  readonly check: string
}

/**
 * Validates a configuration with sshd. A missing privilege separation directory or host key is not a fault of the
 * configuration: sshd checks for them after it has parsed everything.
 */
const CHECK = `said=$(/usr/sbin/sshd -t -f "$1" 2>&1) || case $said in
*"privilege separation directory"*|*"no hostkeys available"*) ;;
*) printf '%s\\n' "$said"; exit 1 ;;
esac`

export const SERVER_DESTINATION: Destination = {
  main: '/etc/ssh/sshd_config',
  directory: 'sshd_config.d',
  format: serverFormat,
  mode: 0o600,
  check: CHECK,
}

/** The file whose lines have precedence: ours if the main file begins with an Include of its directory, else the main file. */
export function writingFor(files: ConfigFiles, { main, directory, format, mode, check }: Destination): Writing {
  const text = files.text(main)
  const lines = text.kind === 'known' && text.value !== null ? text.value.split('\n').map(parseSshdLine) : []
  const first = lines.find(({ kind }) => kind !== 'empty')
  const included = [`/etc/ssh/${directory}/*.conf`, `${directory}/*.conf`]
  const isOurs =
    first?.kind === 'statement' && first.keyword === 'include' && first.words.some((word) => included.includes(word))
  if (!isOurs) return { file: main, format, mode, check: (candidate) => ['sh', '-c', check, 'sh', candidate] }
  // Validated as it will be read: before all other files.
  const both = `printf 'Include "%s"\\nInclude "%s"\\n' "$1" "$2" | { set -- /dev/stdin\n${check}\n}`
  return {
    // Sorted before all other files in its directory.
    file: `/etc/ssh/${directory}/00-driftgate.conf`,
    format,
    head: OWN_HEAD,
    mode,
    check: (candidate) => ['sh', '-c', both, 'sh', candidate, main],
  }
}
