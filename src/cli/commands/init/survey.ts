import type { SocketProtocol } from '../../../subjects/sockets/sockets.ts'
import type { Process } from '../../../subjects/processes/processes.ts'
import type { Target } from '../../../host/target.ts'
import { PACKAGES } from '../../../subjects/packages/subject.ts'
import { PROCESSES } from '../../../subjects/processes/subject.ts'
import { SOCKETS } from '../../../subjects/sockets/subject.ts'
import { SERVICES } from '../../../subjects/services/subject.ts'
import { ACCOUNTS } from '../../../subjects/accounts/subject.ts'

/** Services, ports, packages and accounts of a machine. */
export interface Survey {
  /** Names of running services, without those of logins and timers, sorted. */
  readonly services: readonly string[]
  /** Reachable ports in policy notation, in numeric order. */
  readonly ports: readonly string[]
  /** True if programs also listen on ephemeral ports, which change at each start. */
  readonly hasPassingPorts: boolean
  /** Packages of these programs, sorted. */
  readonly packages: readonly string[]
  /** Accounts with a login, root first. */
  readonly people: readonly string[]
  /** Errors of the survey. */
  readonly troubles: readonly string[]
}

/** Surveys a machine. */
export async function survey(target: Target, signal: AbortSignal): Promise<Survey> {
  const troubles: string[] = []
  const list = target.open(PROCESSES).list()
  if (list.kind === 'unknown') troubles.push(`processes: ${list.detail}`)
  else if (list.value.unseen !== undefined) troubles.push(`processes: ${list.value.unseen.detail}`)
  const processes = list.kind === 'known' ? list.value.processes : []
  const services = await servicesOf(processes, target, signal)
  const sockets = target.open(SOCKETS).listening(['tcp', 'udp'])
  if (sockets.kind === 'unknown') troubles.push(`ports: ${sockets.detail}`)
  const open = (sockets.kind === 'known' ? sockets.value : []).filter(({ address }) => !isLoopback(address))
  const lasting = open.filter(({ protocol, port }) => !isPassing(protocol, port))
  const programs = processes.filter((process) => services.includes(unitOf(process)))
  const accounts = target.open(ACCOUNTS).read()
  if (accounts.kind === 'unknown') troubles.push(`accounts: ${accounts.detail}`)
  const users = accounts.kind === 'known' ? accounts.value.users : []
  return {
    services: services.map((unit) => unit.replace(/\.service$/, '')),
    ports: [...new Set(lasting.map(({ protocol, port }) => `${protocol}:${port}`))].toSorted(byPort),
    hasPassingPorts: lasting.length < open.length,
    packages: await packagesOf(programs, target, signal),
    people: [...new Set(users.filter(({ shell }) => !REFUSES_LOGIN.test(shell)).map(({ name }) => name))],
    troubles,
  }
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address)
}

/** Ephemeral port range of the kernel. @see ip(7), ip_local_port_range */
function isPassing(protocol: SocketProtocol, port: number): boolean {
  return protocol === 'udp' && port >= 32_768 && port <= 60_999
}

function byPort(left: string, right: string): number {
  const number = (text: string): number => Number(text.slice(text.indexOf(':') + 1))
  return number(left) - number(right) || (left < right ? -1 : 1)
}

/** Shells that refuse logins. */
const REFUSES_LOGIN = /\/(?:nologin|false|sync|shutdown|halt)$/

function unitOf({ unit }: Process): string {
  return unit.kind === 'known' ? (unit.value ?? '') : ''
}

/** Units of logins and terminals. */
const PASSING_UNIT =
  /^(?:user|user-runtime-dir|getty|serial-getty|container-getty)@|^console-getty|^run-|^systemd-nspawn@/

async function servicesOf(
  processes: readonly Process[],
  target: Target,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const units = [...new Set(processes.map(unitOf))].filter(
    (unit) => unit.endsWith('.service') && !PASSING_UNIT.test(unit),
  )
  const lasting: string[] = []
  for (const unit of units.toSorted()) {
    const starters = await target.open(SERVICES).starters(unit, signal)
    const isTimed = starters.kind === 'known' && starters.value.some(({ name }) => name.endsWith('.timer'))
    if (!isTimed) lasting.push(unit)
  }
  return lasting
}

const TIME_LIMIT_MS = 30_000

/** One query to the package manager; empty on failure, since it is only a hint. */
async function packagesOf(
  programs: readonly Process[],
  target: Target,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const paths = programs.flatMap(({ executable }) =>
    executable.kind === 'known' && executable.value !== null ? [executable.value.path] : [],
  )
  if (paths.length === 0) return []
  const isDebian = target.open(PACKAGES).apt.exists()
  // dpkg knows a file by its packaged path, from before /bin became a link to /usr/bin.
  const asked = [...new Set(isDebian ? paths.flatMap((path) => [path, path.replace(/^\/usr\//, '/')]) : paths)]
  const program = isDebian ? (['dpkg-query', '-S'] as const) : (['rpm', '-qf', '--qf', '%{NAME}: \n'] as const)
  const outcome = await target.run({
    argv: [...program, ...asked],
    workingDirectory: '/',
    timeoutMs: TIME_LIMIT_MS,
    maxOutputBytes: 1024 * 1024,
    signal,
  })
  // Exit code 1 only means that some paths belong to no package.
  if (outcome.kind !== 'exited') return []
  const names = outcome.stdout.split('\n').flatMap((line) => /^([a-zA-Z0-9][\w.+-]*)(?::\w+)?: /.exec(line)?.[1] ?? [])
  return [...new Set(names)].toSorted()
}
