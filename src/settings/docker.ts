import { defined } from '../model/defined.ts'
import { known, type Reading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { type Format, keyPathOf } from './formats/format.ts'
import { json } from './formats/json.ts'
import { readRootlessDocker, type RootlessDocker } from './docker-rootless.ts'
import { anyExists } from './reading.ts'
import { type CommandWord, readOnlyCommand, readServiceVariable } from './service-command.ts'
import { readUnit, socketsOf } from './service-unit.ts'
import type { ConfigFiles, KeyRules, Surface } from './surface.ts'
import { VALUES } from './values.ts'

const MAIN = '/etc/docker/daemon.json'
const UNIT = 'docker.service'

/** The key for the listening addresses of the systemd socket. */
const SOCKETS = '/socket'

/** Defaults of the daemon. @see dockerd(8) */
const DEFAULTS: Readonly<Record<string, string>> = {
  '/hosts': 'unix:///var/run/docker.sock',
  '/icc': 'true',
  '/iptables': 'true',
  '/ip6tables': 'true',
  '/userland-proxy': 'true',
  '/log-level': 'info',
  '/storage-driver': 'overlay2',
  '/group': 'docker',
  '/insecure-registries': '',
  '/userns-remap': '',
  [SOCKETS]: '',
}

/** Options without a value. */
const SWITCHES = new Set([
  'allow-direct-routing',
  'cri-containerd',
  'debug',
  'experimental',
  'icc',
  'init',
  'ip-forward',
  'ip-forward-no-drop',
  'ip-masq',
  'ip6tables',
  'iptables',
  'ipv6',
  'live-restore',
  'no-new-privileges',
  'raw-logs',
  'rootless',
  'selinux-enabled',
  'tls',
  'tlsverify',
  'userland-proxy',
  'validate',
])

/** Repeatable options, with the keys of their lists in the file. */
const LISTS: Readonly<Record<string, string>> = {
  host: 'hosts',
  'insecure-registry': 'insecure-registries',
  'registry-mirror': 'registry-mirrors',
  'authorization-plugin': 'authorization-plugins',
  label: 'labels',
  'storage-opt': 'storage-opts',
  'exec-opt': 'exec-opts',
  dns: 'dns',
}

const SHORT: Readonly<Record<string, string>> = {
  D: 'debug',
  G: 'group',
  H: 'host',
  b: 'bridge',
  g: 'data-root',
  l: 'log-level',
  p: 'pidfile',
  s: 'storage-driver',
}

/** The Docker daemon, configured by its file and the command line of its service: a key in both prevents it from starting. */
export const docker: Surface = {
  name: 'docker',
  summary:
    '`/etc/docker/daemon.json`, or the file given on the command line, and the command-line options of `docker.service` with its drop-ins and environment. Keys are those of the file (`docker:hosts`, `docker:default-ulimits.nofile.Hard`); list items are separated by spaces. The daemon of a user (rootless) is read if that of the system does not start: `docker:rootless` is `true`, and its file is `~/.config/docker/daemon.json`. `docker:socket` lists the addresses of `docker.socket` and of other sockets for `docker.service`; `docker:socket-mode`, `docker:socket-user` and `docker:socket-group` are those of their files. A fix edits the file, never the unit. The change takes effect when the daemon restarts.',
  installed: (files) => anyExists(files, ['/usr/bin/dockerd', '/usr/sbin/dockerd', MAIN]),
  keyOf: (text) => ({ section: '', key: keyPathOf(text) }),
  rulesOf: ({ key }) => rulesOf(key),
  read(files) {
    const daemon = readDaemon(files)
    if (daemon.kind === 'unknown') return daemon
    const main = configFileOf(daemon.value)
    const text = files.text(main)
    if (text.kind === 'unknown') return text
    const written = json.parse(text.value ?? '', main)
    if (written.kind === 'unknown') return written
    const sockets = readDockerSockets(files)
    if (sockets.kind === 'unknown') return sockets
    const environment = readEnvironment(files)
    if (environment.kind === 'unknown') return environment
    const { before, after } = environment.value
    return known([...before, ...written.value, ...assignmentsOf(daemon.value.options), ...sockets.value, ...after])
  },
  writes(files) {
    const rootless = readRootlessDocker(files)
    if (rootless.kind === 'known' && rootless.value !== undefined) return { file: rootless.value.main, format: OF_USER }
    return { file: MAIN, format: json }
  },
  activation: {
    kind: 'reboot',
    why: 'Docker reads its configuration at start: restart it when its containers may stop',
  },
}

const refuse = (): ReturnType<Format['set']> => ({
  kind: 'refused',
  reason: 'the configuration of a rootless daemon belongs to its user',
})

const OF_USER: Format = { ...json, set: refuse, remove: refuse }

export function dockerConfigFile(files: ConfigFiles): Reading<string> {
  const daemon = readDaemon(files)
  return daemon.kind === 'unknown' ? daemon : known(configFileOf(daemon.value))
}

function configFileOf({ options, rootless }: Daemon): string {
  return options.findLast(({ name }) => name === 'config-file')?.value ?? rootless?.main ?? MAIN
}

/** Whether a user runs the daemon, with files of its own. */
export function isDockerRootless(files: ConfigFiles): Reading<boolean> {
  const rootless = readRootlessDocker(files)
  return rootless.kind === 'unknown' ? rootless : known(rootless.value !== undefined)
}

interface Environment {
  /** What the file and the command line override. */
  readonly before: readonly Assignment[]
  readonly after: readonly Assignment[]
}

/** @see https://docs.docker.com/reference/cli/dockerd/#environment-variables */
function readEnvironment(files: ConfigFiles): Reading<Environment> {
  const driver = readServiceVariable(files, UNIT, 'DOCKER_DRIVER')
  if (driver.kind === 'unknown') return driver
  const verify = readServiceVariable(files, UNIT, 'DOCKER_TLS_VERIFY')
  if (verify.kind === 'unknown') return verify
  const assign = (key: string, value = ''): readonly Assignment[] =>
    value === '' ? [] : [{ section: '', key, value, file: `/lib/systemd/system/${UNIT}`, line: 0 }]
  return known({
    before: assign('/tlsverify', (verify.value ?? '') === '' ? '' : 'true'),
    after: assign('/storage-driver', driver.value),
  })
}

/** The command of the daemon, with the files that its unit and its environment consist of. */
export function readDockerCommand(files: ConfigFiles): ReturnType<typeof readOnlyCommand> {
  return readOnlyCommand(files, [UNIT], ['dockerd'])
}

/** Where the daemon looks for its key and certificates without options for them. @see https://docs.docker.com/reference/cli/docker/#environment-variables */
export function readDockerCertPath(files: ConfigFiles): Reading<string> {
  const path = readServiceVariable(files, UNIT, 'DOCKER_CERT_PATH')
  return path.kind === 'unknown' ? path : known(path.value ?? '/root/.docker')
}

function rulesOf(key: string): KeyRules {
  const preset = DEFAULTS[key] ?? (SWITCHES.has(key.slice(1)) ? 'false' : undefined)
  return { order: VALUES, wins: 'last', ...defined({ default: preset }) }
}

interface Option extends Omit<CommandWord, 'text'> {
  readonly name: string
  readonly value: string
}

interface Daemon {
  readonly options: readonly Option[]
  readonly rootless: RootlessDocker | undefined
}

function readDaemon(files: ConfigFiles): Reading<Daemon> {
  const rootless = readRootlessDocker(files)
  if (rootless.kind === 'unknown') return rootless
  if (rootless.value !== undefined) {
    const { main, words } = rootless.value
    const options = [{ name: 'rootless', value: 'true', file: main, line: 0 }, ...optionsIn(words)]
    return known({ options, rootless: rootless.value })
  }
  const words = readDockerCommand(files)
  return words.kind === 'unknown' ? words : known({ options: optionsIn(words.value), rootless: undefined })
}

/** Parses options as pflag does: `--name=value`, `--name value`, `-nvalue`, and switches without a value. */
function optionsIn(words: readonly CommandWord[]): readonly Option[] {
  const options: Option[] = []
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const { file, line } = word
    const [, long, short = '', after = ''] = /^-(?:-([^=]+)|([^-]))(.*)$/s.exec(word.text) ?? []
    const name = long ?? SHORT[short]
    if (name === undefined) continue
    const isSwitch = SWITCHES.has(name) && !after.startsWith('=')
    if (isSwitch && after !== '') rest.unshift({ ...word, text: `-${after}` })
    const value = isSwitch ? 'true' : after === '' ? (rest.shift()?.text ?? '') : after.replace(/^=/, '')
    options.push({ name, value, file, line })
  }
  return options
}

/** The options by their keys in the file; repeated options are joined to one value. */
function assignmentsOf(options: readonly Option[]): readonly Assignment[] {
  const found = new Map<string, Assignment>()
  for (const { name, value, file, line } of options) {
    const list = LISTS[name]
    const key = `/${list ?? name}`
    const before = list === undefined ? undefined : found.get(key)
    if (name === 'default-ulimit') {
      for (const each of ulimitOf(value)) found.set(each.key, { ...each, section: '', file, line })
    } else if (before === undefined) {
      found.set(key, { section: '', key, value: SWITCHES.has(name) ? truthOf(value) : value, file, line })
    } else found.set(key, { ...before, value: `${before.value} ${value}` })
  }
  return [...found.values()]
}

/** Parses `nofile=SOFT:HARD`; a single number is used for both. */
function ulimitOf(text: string): readonly { readonly key: string; readonly value: string }[] {
  const [, name = '', soft = '', hard = soft] = /^([^=]*)=([^:]*)(?::(.*))?$/.exec(text) ?? []
  return [
    { key: `/default-ulimits/${name}/Name`, value: name },
    { key: `/default-ulimits/${name}/Soft`, value: soft },
    { key: `/default-ulimits/${name}/Hard`, value: hard },
  ]
}

/** Parses booleans as Go does. */
function truthOf(value: string): string {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(value)) return 'true'
  return /^(?:0|f|F|FALSE|false|False)$/.test(value) ? 'false' : value
}

/** The addresses of the sockets that the daemon takes, joined to one value, with their modes, users and groups. @see systemd.socket(5) */
export function readDockerSockets(files: ConfigFiles): Reading<readonly Assignment[]> {
  const sockets: Socket[] = []
  for (const name of socketsOf(files, UNIT)) {
    const unit = readUnit(files, name, { section: 'Socket' })
    if (unit.kind === 'unknown') return unit
    const streams = (unit.value ?? []).filter(({ key }) => key === 'ListenStream')
    const lastOf = (key: string): string | undefined => unit.value?.findLast((each) => each.key === key)?.value
    sockets.push(
      ...streams.map(({ value, file, line }) => ({
        address: value,
        // An abstract socket has no mode: every user may connect. @see unix(7)
        mode: value.startsWith('@') ? '0777' : (lastOf('SocketMode') ?? '0666'),
        user: lastOf('SocketUser') ?? 'root',
        group: lastOf('SocketGroup') ?? 'root',
        file,
        line,
      })),
    )
  }
  const [first] = sockets
  if (first === undefined) return known([])
  const { file, line } = first
  const paths = sockets.filter(({ address }) => /^[/@]/.test(address))
  const join = (values: readonly string[]): string => [...new Set(values)].join(' ')
  const values = {
    [SOCKETS]: join(sockets.map(({ address }) => address)),
    '/socket-mode': join(paths.map(({ mode }) => mode)),
    '/socket-user': join(paths.map(({ user }) => user)),
    '/socket-group': join(paths.map(({ group }) => group)),
  }
  return known(
    Object.entries(values).flatMap(([key, value]) => (value === '' ? [] : [{ section: '', key, value, file, line }])),
  )
}

interface Socket extends Pick<Assignment, 'file' | 'line'> {
  readonly address: string
  readonly mode: string
  readonly user: string
  readonly group: string
}
