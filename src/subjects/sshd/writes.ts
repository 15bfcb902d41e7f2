import { type ConfigFiles, OWN_HEAD, type Writing } from '../../settings/surface.ts'
import { sshdFormat } from './format.ts'
import { parseSshdLine } from './line.ts'

/** Sorted before all other files in its directory. */
const OWN_FILE = '/etc/ssh/sshd_config.d/00-driftgate.conf'

const INCLUDED = new Set(['/etc/ssh/sshd_config.d/*.conf', 'sshd_config.d/*.conf'])

/**
 * Validates a configuration with sshd. A missing privilege separation directory or host key is not a fault of the
 * configuration: sshd checks for them after it has parsed everything.
 */
const CHECK = `said=$(/usr/sbin/sshd -t -f "$1" 2>&1) || case $said in
*"privilege separation directory"*|*"no hostkeys available"*) ;;
*) printf '%s\\n' "$said"; exit 1 ;;
esac`

/** The file whose lines have precedence: ours if the main file begins with an Include of its directory, else the main file. */
export function writingFor(files: ConfigFiles, main: string): Writing {
  const text = files.text(main)
  const lines = text.kind === 'known' && text.value !== null ? text.value.split('\n').map(parseSshdLine) : []
  const first = lines.find(({ kind }) => kind !== 'empty')
  const isOurs =
    first?.kind === 'statement' && first.keyword === 'include' && first.words.some((word) => INCLUDED.has(word))
  if (!isOurs) {
    return { file: main, format: sshdFormat, mode: 0o600, check: (candidate) => ['sh', '-c', CHECK, 'sh', candidate] }
  }
  // Validated as it will be read: before all other files.
  const both = `printf 'Include "%s"\\nInclude "%s"\\n' "$1" "$2" | { set -- /dev/stdin\n${CHECK}\n}`
  return {
    file: OWN_FILE,
    format: sshdFormat,
    head: OWN_HEAD,
    mode: 0o600,
    check: (candidate) => ['sh', '-c', both, 'sh', candidate, main],
  }
}
