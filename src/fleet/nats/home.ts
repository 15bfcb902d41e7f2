import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { makeKey } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { APPROVERS_FILE } from '../orders/approvers.ts'
import { makeCertificates } from './certificates.ts'
import { CONNECTIONS_KEY_FILE, POLICY_KEY_FILE, VIEWER_API, VIEWER_KEY_FILE } from './names.ts'
import { publicNkey, seedOf } from './nkey.ts'
import { hostsConfig, SERVER_FILES, SERVER_NAME_VARIABLE, serverConfig, type ServerPlace } from './server-config.ts'

/**
 * Files of a fleet: `server` belongs on the server machine, `viewer` on that of `fleet serve`, and `operator` stays
 * here.
 */
export function fleetHome(directory: string) {
  const server = (name: string): string => join(directory, 'server', name)
  const operator = (name: string): string => join(directory, 'operator', name)
  const viewer = (name: string): string => join(directory, 'viewer', name)
  return {
    hosts: server(SERVER_FILES.hosts),
    authority: server(SERVER_FILES.authority),
    policyKey: operator('policy.pem'),
    publicPolicyKey: operator(POLICY_KEY_FILE),
    viewerKey: operator(VIEWER_KEY_FILE),
    roster: operator('roster.yaml'),
    context: operator('context.json'),
    pending: operator('pending'),
    audit: operator('audit'),
    authorityKey: operator('ca.key'),
    lastVersion: operator('last-version'),
    hostRotation: operator('hosts-to-rotate'),
    approvers: operator(APPROVERS_FILE),
    server,
    operator,
    viewer,
  }
}

/** Server address for hosts. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

export const DEFAULT_PORT = 4222

/** Parses server addresses: `nats.example.com:4222`, several separated by commas. */
export function addressesOf(text: string): readonly ServerAddress[] {
  return text.split(',').map((each) => {
    const [host = '', port = String(DEFAULT_PORT)] = each.split(':')
    return { host, port: Number(port) }
  })
}

/** Formats the servers for `Login`. */
export function urlOf(servers: readonly ServerAddress[]): string {
  return servers.map(({ host, port }) => `tls://${host}:${port}`).join(',')
}

/** Settings of a new fleet. */
export interface FleetPlan {
  /** Server addresses for hosts, `nats.example.com:4222`, which are also the names in the certificate. */
  readonly servers: readonly [ServerAddress, ...ServerAddress[]]
  /** Listen address. */
  readonly listen: string
  /** Location of the `server` directory on the server machine; undefined if it stays in place. */
  readonly place: string | undefined
  /** Storage directory. */
  readonly store: string
  readonly storeBytes: number
  /** The operator's own certificate, with its CA. */
  readonly certificate: { readonly certificate: string; readonly key: string; readonly authority: string } | undefined
}

/**
 * Creates the files of a new fleet, all or none. Throws an `OperatorError` if the directory is not empty or a file
 * cannot be created.
 */
export function makeFleet(directory: string, plan: FleetPlan): void {
  const target = resolve(directory)
  let draft: string | undefined
  try {
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new OperatorError(`${target} already contains files: create a fleet in its own directory`)
    mkdirSync(dirname(target), { recursive: true })
    draft = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
    fill(draft, target, plan)
    renameSync(draft, target)
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true })
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot create the fleet in ${target}: ${systemReason(error)}`, { cause: error })
  }
}

function fill(draft: string, target: string, plan: FleetPlan): void {
  const home = fleetHome(draft)
  for (const folder of ['server', 'operator', 'operator/pending', 'viewer'])
    mkdirSync(join(draft, folder), { mode: 0o700 })
  certify(home, plan)
  const [operator, viewer, policy, connections] = [makeKey(), makeKey(), makeKey(), makeKey()]
  const place = {
    listen: plan.listen,
    directory: plan.place ?? join(target, 'server'),
    store: plan.store,
    storeBytes: plan.storeBytes,
    ...(plan.servers.length > 1 && { cluster: plan.servers.map(({ host }) => host) }),
  }
  const keys = {
    operator: publicNkey(operator),
    viewer: publicNkey(viewer),
    connections: publicNkey(connections),
  }
  write(home.server(SERVER_FILES.config), serverConfig(place, keys))
  write(home.hosts, hostsConfig([]))
  write(home.server('driftgate-nats.service'), serverUnit(place))
  write(home.policyKey, pemOf(policy), 0o600)
  write(home.viewerKey, publicPemOf(viewer))
  write(home.roster, 'hosts: []\n')
  const url = urlOf(plan.servers)
  for (const [folder, key] of [
    ['operator', operator],
    ['viewer', viewer],
  ] as const) {
    const inFolder = (name: string): string => join(draft, folder, name)
    if (folder === 'viewer') write(inFolder('ca.pem'), read(home.authority))
    write(inFolder(POLICY_KEY_FILE), publicPemOf(policy))
    write(inFolder(CONNECTIONS_KEY_FILE), `${seedOf(connections)}\n`, 0o600)
    const authority =
      folder === 'viewer' ? join(target, 'viewer/ca.pem') : join(target, 'server', SERVER_FILES.authority)
    write(inFolder('nats.nk'), `${seedOf(key)}\n`, 0o600)
    const context = {
      description: `driftgate fleet, ${folder}`,
      url,
      nkey: join(target, folder, 'nats.nk'),
      ca: authority,
      ...(folder === 'viewer' && { jetstream_api_prefix: VIEWER_API }),
    }
    write(inFolder('context.json'), `${JSON.stringify(context, null, 2)}\n`)
  }
}

function certify(home: ReturnType<typeof fleetHome>, { servers, certificate: own }: FleetPlan): void {
  const [certificate, key] = [home.server(SERVER_FILES.certificate), home.server(SERVER_FILES.key)]
  if (own === undefined) {
    const scratch = home.operator('scratch')
    mkdirSync(scratch, { mode: 0o700 })
    const { authorityKey } = home
    const names = servers.map(({ host }) => host)
    makeCertificates(names, { authority: home.authority, authorityKey, certificate, key }, scratch)
    rmSync(scratch, { recursive: true })
    chmodSync(authorityKey, 0o600)
  } else {
    write(home.authority, read(own.authority))
    write(certificate, read(own.certificate))
    write(key, read(own.key))
  }
  chmodSync(key, 0o600)
}

function write(path: string, text: string, mode = 0o644): void {
  replaceFile(path, text, { mode })
}

const LARGEST_BYTES = 1024 * 1024

function read(path: string): string {
  return attempt(`cannot read ${path}`, () => readWhole(path, LARGEST_BYTES).toString('utf8'))
}

/** Private key in PEM. */
export function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

export function publicPemOf(key: KeyObject): string {
  return (key.type === 'public' ? key : createPublicKey(key)).export({ type: 'spki', format: 'pem' }).toString()
}

/** systemd unit of the server, with user nats of Debian's nats-server package. */
function serverUnit({ directory, store, cluster }: ServerPlace): string {
  const config = join(directory, SERVER_FILES.config)
  return `# Made by "driftgate fleet init".
[Unit]
Description=nats-server of a driftgate fleet
Wants=network-online.target
After=network-online.target

[Service]
User=nats
Group=nats
${cluster === undefined ? '' : `Environment=${SERVER_NAME_VARIABLE}=%H\n`}ExecStart=/usr/sbin/nats-server --config ${config}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
LimitNOFILE=65536
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ReadWritePaths=${store}

[Install]
WantedBy=multi-user.target
`
}
