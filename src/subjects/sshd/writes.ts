import { type ConfigFiles, OWN_HEAD, type Writing } from '../../settings/surface.ts'
import { sshdFormat } from './format.ts'
import { parseSshdLine } from './line.ts'

/** Read first of all files in its directory. */
const OWN_FILE = '/etc/ssh/sshd_config.d/00-driftgate.conf'

const INCLUDED = new Set(['/etc/ssh/sshd_config.d/*.conf', 'sshd_config.d/*.conf'])

/**
 * Has sshd read a configuration. That its own directory or the keys of the host are missing is no fault of the configuration:
 * sshd looks for them once it has read all of it.
 */
const CHECK = `said=$(/usr/sbin/sshd -t -f "$1" 2>&1) || case $said in
*"privilege separation directory"*|*"no hostkeys available"*) ;;
*) printf '%s\\n' "$said"; exit 1 ;;
esac`

/** The file in which a line counts before all others: ours, where the main file begins with its directory, else the main file. */
export function writingFor(files: ConfigFiles, main: string): Writing {
  const text = files.text(main)
  const lines = text.kind === 'known' && text.value !== null ? text.value.split('\n').map(parseSshdLine) : []
  const first = lines.find(({ kind }) => kind !== 'empty')
  const isOurs =
    first?.kind === 'statement' && first.keyword === 'include' && first.words.some((word) => INCLUDED.has(word))
  if (!isOurs) {
    return { file: main, format: sshdFormat, mode: 0o600, check: (candidate) => ['sh', '-c', CHECK, 'sh', candidate] }
  }
  // Read as it will be: before everything else.
  const both = `printf 'Include "%s"\\nInclude "%s"\\n' "$1" "$2" | { set -- /dev/stdin\n${CHECK}\n}`
  return {
    file: OWN_FILE,
    format: sshdFormat,
    head: OWN_HEAD,
    mode: 0o600,
    check: (candidate) => ['sh', '-c', both, 'sh', candidate, main],
  }
}
