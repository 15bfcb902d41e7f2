import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const SSHD = '/usr/sbin/sshd'

/** Why sshd cannot be asked, or undefined. */
export const cannotAskSshd: string | undefined =
  process.geteuid?.() !== 0 ? 'needs root' : existsSync(SSHD) ? undefined : 'needs openssh-server'

/** A configuration file, and the connection for which it is asked, as -C has it. */
export interface Question {
  readonly file: string
  readonly connection?: string
  readonly options?: readonly string[]
  /** The directory that is /etc/ssh meanwhile. */
  readonly etc?: string
}

/** What `sshd -T` prints for each question by keyword, its lines joined; undefined where sshd refuses the configuration. */
export function askSshd(
  directory: string,
  questions: readonly Question[],
): readonly (ReadonlyMap<string, string> | undefined)[] {
  const key = join(directory, 'key')
  execFileSync('/usr/bin/ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const script = join(directory, 'ask.sh')
  const asked = questions.map(({ file, connection, options = [], etc }) => {
    const words = [...options, ...(connection === undefined ? [] : ['-C', connection.replace(/group=\w+,/, '')])]
    const quoted = words.map((word) => ` '${word}'`).join('')
    const there = etc === undefined ? '' : `mount --bind '${etc}' /etc/ssh; `
    return `${there}echo '=== ask'; ${SSHD} -T -h '${key}' -f '${file}'${quoted} 2>/dev/null || echo '=== refused'`
  })
  // The directory that sshd wants for its own use is made in a namespace of its own.
  writeFileSync(script, ['cd /', 'mount -t tmpfs none /run && mkdir -p /run/sshd', ...asked].join('\n'))
  const output = execFileSync('unshare', ['--mount', 'sh', script], { encoding: 'utf8', maxBuffer: 1 << 28 })
  return output.split('=== ask\n').slice(1).map(readAnswer)
}

function readAnswer(output: string): ReadonlyMap<string, string> | undefined {
  if (output.includes('=== refused')) return undefined
  const values = new Map<string, string>()
  for (const line of output.split('\n').filter((each) => each !== '')) {
    const [, keyword = '', value = ''] = /^(\S+) ?(.*)$/s.exec(line) ?? []
    const before = values.get(keyword)
    values.set(keyword, before === undefined ? value : `${before} ${value}`)
  }
  return values
}
