import { known, type Reading } from '../../model/observation.ts'
import { isThere } from '../../settings/reading.ts'
import { isEnabledUnit, readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import type { Statement } from './config.ts'

const SOCKETS = ['ssh.socket', 'sshd.socket'] as const

/** Makes the addresses of the socket from `Port` and `ListenAddress`. @see sshd-socket-generator(8) */
const GENERATOR = '/systemd/system-generators/sshd-socket-generator'

/**
 * The statements with the ports of a socket that starts with the system instead of their own: sshd takes its sockets over
 * and opens none. With a generator the socket has both.
 */
export function withSocketPorts(files: ConfigFiles, statements: readonly Statement[]): Reading<readonly Statement[]> {
  // It replaces the address of the package only by others.
  const isGenerated =
    ['/lib', '/usr/lib'].some((directory) => isThere(files, `${directory}${GENERATOR}`)) &&
    statements.some(({ keyword }) => keyword === 'port' || keyword === 'listenaddress')
  const ports: Statement[] = []
  for (const name of SOCKETS) {
    const enabled = isEnabledUnit(files, name)
    if (enabled.kind === 'unknown') return enabled
    const unit = enabled.value ? readUnit(files, name, { section: 'Socket' }) : known([])
    if (unit.kind === 'unknown') return unit
    for (const { key, value, file, line } of unit.value ?? []) {
      const [, port] = /^(?:[^/@]*:)?(\d+)$/.exec(value) ?? []
      if (key !== 'ListenStream' || port === undefined || value.startsWith('vsock:')) continue
      if (isGenerated && !file.startsWith('/etc/')) continue
      ports.push({ file, line, keyword: 'port', words: [port], text: port, blocks: [] })
    }
  }
  if (ports.length === 0) return known(statements)
  const others = statements.filter(({ keyword, text }) =>
    keyword === 'port' ? isGenerated && ports.every((each) => each.text !== text) : true,
  )
  return known([...ports.filter(({ text }, at) => ports.findIndex((each) => each.text === text) === at), ...others])
}
