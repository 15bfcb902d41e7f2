import { join } from 'node:path'
import { ASSIGNMENTS_STREAM } from './assignments.ts'
import { AUDIT_STREAM, VIEWER_ACT_SUBJECTS } from './audit.ts'
import { replicasFor } from './streams.ts'
import {
  BUCKETS,
  CONNECTIONS_SUBJECT,
  HOSTS_ACCOUNT,
  inboxPrefix,
  NAME_RULE,
  isSafeName,
  sentSubjects,
  valueRequestSubject,
  ROLLOUT_KEY,
  valueSubject,
  VIEWER_ACCOUNT,
  VIEWER_API,
} from './names.ts'

/** Listen address and file locations of a fleet server. */
export interface ServerPlace {
  /** Listen address and port, `0.0.0.0:4222`. */
  readonly listen: string
  /** Configuration directory on the server. */
  readonly directory: string
  /** Storage directory. */
  readonly store: string
  /** Storage limit in bytes. */
  readonly storeBytes: number
  /** Names of all servers of a cluster. */
  readonly cluster?: readonly string[]
}

/** Environment variable with the name of a cluster server, set by its unit; the configuration is the same for all. */
export const SERVER_NAME_VARIABLE = 'DRIFTGATE_SERVER'

/** Port for cluster routes. */
const CLUSTER_PORT = 6222

/** Public keys of the clients of the storage account. */
export interface StoreKeys {
  readonly operator: string
  readonly viewer: string
  /** Client in the system account that lists connections. */
  readonly connections: string
}

/** A host with its public key. */
export interface EnrolledHost {
  readonly name: string
  readonly key: string
}

/** Names of the files that the configuration refers to. */
export const SERVER_FILES = {
  config: 'nats-server.conf',
  hosts: 'hosts.conf',
  authority: 'ca.pem',
  certificate: 'server.pem',
  key: 'server.key',
} as const

const JETSTREAM_API = '$JS.API'

/**
 * Services of the storage account for hosts. JetStream replies to the subject that the sender names, so a sender in the
 * same account could name the report subject of another host. Hosts are therefore in an account without JetStream and
 * get replies only through these services.
 */
const SERVICES = [
  ...sentSubjects('*'),
  ...[BUCKETS.assignments, BUCKETS.policies, BUCKETS.orders].map((bucket) => valueRequestSubject(bucket, '>')),
]

/**
 * Subjects that a viewer publishes for releases. Hosts are notified from the viewer's account: a message that enters
 * STORE through a service is not exported by a stream.
 */
const RELEASES = ['ring.*', 'host.*'].map((addressee) => valueSubject(BUCKETS.assignments, addressee))

/**
 * Services for a viewer, in an account of its own for the same reason: it reads reports, the activity log, assignments
 * and the rollout state, records what it sees, and releases assignments signed beforehand.
 */
const VIEWER_STREAMS = ['DG_FULL', 'DG_LARGE', 'DG_STATE', 'DG_BEAT', AUDIT_STREAM, ASSIGNMENTS_STREAM]
const VIEWER_SERVICES = [
  ...VIEWER_STREAMS.flatMap((name) => [`$JS.API.STREAM.INFO.${name}`, `$JS.API.STREAM.MSG.GET.${name}`]),
  ...[BUCKETS.assignments, BUCKETS.policies, BUCKETS.rollouts].map((bucket) => valueRequestSubject(bucket, '>')),
  ...RELEASES,
  valueSubject(BUCKETS.rollouts, ROLLOUT_KEY),
  ...VIEWER_ACT_SUBJECTS,
]

/** Subjects of host messages, which make a viewer read again. */
const VIEWER_NOTICES = sentSubjects('*')

/**
 * Notices of a new assignment or order for hosts. They can be forged, so a host only uses them to ask for the value.
 */
const NOTICES = [BUCKETS.assignments, BUCKETS.orders].map((bucket) => valueSubject(bucket, '>'))

/** Configuration of a nats-server (2.9 or newer) for a fleet. */
export function serverConfig({ listen, directory, store, storeBytes, cluster }: ServerPlace, keys: StoreKeys): string {
  const path = (name: string): string => quoteText(join(directory, name))
  return `# Made by "driftgate fleet init". Hosts and what they may do stand in ${SERVER_FILES.hosts}.
# Hosts and the viewer must not move to the account STORE, and theirs must not get JetStream: they could then have the
# server write its answers into the reports and assignments of others.
listen: ${quoteText(listen)}
server_name: ${cluster === undefined ? '"driftgate"' : `$${SERVER_NAME_VARIABLE}`}
max_payload: 1MB
tls {
  cert_file: ${path(SERVER_FILES.certificate)}
  key_file: ${path(SERVER_FILES.key)}
}
jetstream {
  store_dir: ${quoteText(store)}
  max_file_store: ${storeBytes}
}
${cluster === undefined ? '' : clusterConfig(cluster, path)}include ${JSON.stringify(SERVER_FILES.hosts)}
system_account: SYS
accounts {
  STORE {
    jetstream: { max_file: ${storeBytes * replicasFor(cluster?.length ?? 1)}, max_mem: 0 }
    users: [
      { nkey: ${keys.operator} }
    ]
    exports: [
${exported(SERVICES, NOTICES, HOSTS_ACCOUNT)}${exported(VIEWER_SERVICES, VIEWER_NOTICES, VIEWER_ACCOUNT)}    ]
  }
  ${HOSTS_ACCOUNT} {
    users: $driftgate_hosts
    imports: [
${imported(SERVICES, NOTICES)}${listOf(RELEASES, (subject) => `stream: { account: ${VIEWER_ACCOUNT}, subject: ${subject} }`)}    ]
  }
  ${VIEWER_ACCOUNT} {
    users: [
      { nkey: ${keys.viewer}, permissions: ${permissions(VIEWER, 2)} }
    ]
    imports: [
${imported(VIEWER_SERVICES, VIEWER_NOTICES, VIEWER_API)}    ]
    exports: [
${exported([], RELEASES, HOSTS_ACCOUNT)}    ]
  }
  SYS {
    users: [
      { nkey: ${keys.connections}, permissions: ${permissions(CONNECTIONS, 2)} }
    ]
  }
}
`
}

/** Exports for one account only: another account cannot import them by mistake. */
function exported(services: readonly string[], notices: readonly string[], account: string): string {
  const only = `accounts: [${account}]`
  return `${listOf(services, (subject) => `service: ${subject}, ${only}`)}${listOf(notices, (subject) => `stream: ${subject}, ${only}`)}`
}

/** Imports, with another prefix for JetStream's API if the account's own API would answer instead. */
function imported(services: readonly string[], notices: readonly string[], api = JETSTREAM_API): string {
  const from = (subject: string): string => `{ account: STORE, subject: ${subject} }`
  const to = (subject: string): string =>
    subject.includes(JETSTREAM_API) ? `, to: ${subject.replace(JETSTREAM_API, api)}` : ''
  return `${listOf(services, (subject) => `service: ${from(subject)}${to(subject)}`)}${listOf(notices, (subject) => `stream: ${from(subject)}`)}`
}

/** Cluster servers authenticate each other with the fleet certificate. */
function clusterConfig(names: readonly string[], path: (name: string) => string): string {
  const routes = names.map((name) => `    ${quoteText(`nats-route://${name}:${CLUSTER_PORT}`)}\n`).join('')
  return `cluster {
  name: "driftgate"
  listen: "0.0.0.0:${CLUSTER_PORT}"
  tls {
    cert_file: ${path(SERVER_FILES.certificate)}
    key_file: ${path(SERVER_FILES.key)}
    ca_file: ${path(SERVER_FILES.authority)}
    verify: true
  }
  routes: [
${routes}  ]
}
`
}

function listOf(subjects: readonly string[], entry: (subject: string) => string): string {
  return subjects.map((subject) => `      { ${entry(quoteText(subject))} }\n`).join('')
}

/** Enrolled hosts with their permissions. Throws an error if a name or key could inject configuration. */
export function hostsConfig(hosts: readonly EnrolledHost[]): string {
  const users = hosts.map(({ name, key }) => {
    if (!isSafeName(name)) throw new Error(`${JSON.stringify(name)} is not a valid host name: ${NAME_RULE}`)
    if (!/^U[A-Z2-7]{55}$/.test(key)) throw new Error(`the key of ${name} is not a public user key`)
    return `  # ${name}\n  { nkey: ${key}, permissions: ${permissions(mayDo(name), 1)} }\n`
  })
  return `# Made by "driftgate fleet accept" of the roster: change that, not this.\ndriftgate_hosts = [\n${users.join('')}]\n`
}

interface Permissions {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

function mayDo(host: string): Permissions {
  const { assignments, policies, orders } = BUCKETS
  return {
    publish: [
      ...sentSubjects(host),
      valueRequestSubject(assignments, `host.${host}`),
      valueRequestSubject(assignments, 'ring.*'),
      valueRequestSubject(policies, '*'),
      valueRequestSubject(orders, `host.${host}`),
    ],
    subscribe: [
      `${inboxPrefix(host)}.>`,
      valueSubject(assignments, `host.${host}`),
      valueSubject(assignments, 'ring.*'),
      valueSubject(orders, `host.${host}`),
    ],
  }
}

/** Permissions of the viewer, whose account holds no other client. */
const VIEWER: Permissions = {
  publish: VIEWER_SERVICES.map((subject) => subject.replace(JETSTREAM_API, VIEWER_API)),
  subscribe: ['_INBOX.>', ...VIEWER_NOTICES],
}

/** Permission to list host connections, and no other system requests. */
const CONNECTIONS: Permissions = { publish: [CONNECTIONS_SUBJECT], subscribe: ['_INBOX.>'] }

function permissions({ publish, subscribe }: Permissions, depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const list = (subjects: readonly string[]): string =>
    subjects.map((subject) => `\n${indent}  ${quoteText(subject)}`).join('')
  return `{
${indent}publish: [${list(publish)}
${indent}]
${indent}subscribe: [${list(subscribe)}
${indent}]
${'  '.repeat(depth)}}`
}

/** Quotes a text of the configuration. Throws an error if it cannot be quoted. */
function quoteText(text: string): string {
  if (/["\\\p{Cc}]/u.test(text)) throw new Error(`${JSON.stringify(text)} is not allowed in a server configuration`)
  return `"${text}"`
}
