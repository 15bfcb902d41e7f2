import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { readPrivateKey } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { certifyServer } from './certificates.ts'
import { loginOfContext } from './connect.ts'
import { fleetHome, type ServerAddress, urlOf } from './home.ts'
import { tellHosts } from './notice.ts'
import { asOperator } from './operator.ts'
import { SERVER_FILES } from './server-config.ts'

/** Result of a move. */
export interface Moved {
  /** Server URL for hosts, viewer and operator, new servers first. */
  readonly url: string
  /** True if the server certificate was renewed for all names; otherwise the operator must renew their own. */
  readonly isCertified: boolean
}

/**
 * Announces further server addresses to hosts over the existing connection, and issues a server certificate for all of
 * them. Changes nothing if the hosts cannot be told. Throws an `OperatorError`.
 */
export async function moveFleet(directory: string, servers: readonly ServerAddress[], author: string): Promise<Moved> {
  const home = fleetHome(directory)
  const before = loginOfContext(home.context).url.split(',')
  const url = [...new Set([...urlOf(servers).split(','), ...before])].join(',')
  const isCertified = existsSync(home.authorityKey)
  await asOperator(directory, async ({ line, note }) => {
    await tellHosts(line, [readPrivateKey(home.policyKey)], { server: url })
    await note({ act: 'move', author, about: 'server', text: `hosts connect to ${url}` })
  })
  try {
    if (isCertified) certifyAnew(home, url)
    for (const context of [home.context, home.viewer('context.json')])
      changeText(context, (text) => `${JSON.stringify({ ...JSON.parse(text), url }, null, 2)}\n`)
    const [first] = servers
    changeText(home.server(SERVER_FILES.config), (text) =>
      text.replace(/^(listen: ".*:)\d+"/m, `$1${first?.port ?? ''}"`),
    )
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `hosts were notified, but the files of the fleet cannot be changed: ${systemReason(error)}`,
      {
        cause: error,
      },
    )
  }
  return { url, isCertified }
}

/**
 * Issues a new server key and certificate for the names in the addresses. Throws the system's error or an
 * `OperatorError`.
 */
export function certifyAnew(home: ReturnType<typeof fleetHome>, url: string): void {
  const names = url.split(',').map((each) => new URL(each).hostname)
  const scratch = mkdtempSync(join(home.operator('.'), '.certificate-'))
  try {
    const [certificate, key] = [join(scratch, SERVER_FILES.certificate), join(scratch, SERVER_FILES.key)]
    certifyServer(names, { authority: home.authority, authorityKey: home.authorityKey, certificate, key }, scratch)
    replaceFile(home.server(SERVER_FILES.key), readFileSync(key), { mode: 0o600 })
    replaceFile(home.server(SERVER_FILES.certificate), readFileSync(certificate), { mode: 0o644 })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function changeText(path: string, change: (text: string) => string): void {
  replaceFile(path, change(readFileSync(path, 'utf8')), { mode: 0o644 })
}
