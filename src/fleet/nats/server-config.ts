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

/** Where the server of a fleet listens, and where its files lie on its machine. */
export interface ServerPlace {
  /** The address and port it listens on, `0.0.0.0:4222`. */
  readonly listen: string
  /** The directory of its configuration there. */
  readonly directory: string
  /** The directory of what it stores. */
  readonly store: string
  /** How much it may store, in bytes. */
  readonly storeBytes: number
  /** The names of all servers where they are several. */
  readonly cluster?: readonly string[]
}

/** The name of a server in a cluster, which its unit sets; the configuration is the same for all. */
export const SERVER_NAME_VARIABLE = 'DRIFTGATE_SERVER'

/** The port by which the servers of a cluster reach each other. */
const CLUSTER_PORT = 6222

/** The public keys of those who connect to the account that stores. */
export interface StoreKeys {
  readonly operator: string
  readonly viewer: string
  /** The client that sees which connections there are, in the account of the system. */
  readonly connections: string
}

/** A host that may connect, with its public key. */
export interface EnrolledHost {
  readonly name: string
  readonly key: string
}

/** The names of the files that the configuration refers to. */
export const SERVER_FILES = {
  config: 'nats-server.conf',
  hosts: 'hosts.conf',
  authority: 'ca.pem',
  certificate: 'server.pem',
  key: 'server.key',
} as const

const JETSTREAM_API = '$JS.API'

/**
 * What hosts may ask of the account that stores, each a service: JetStream answers a message at the subject that its sender names, and
 * a sender in the same account could name the subject of another host's report. A host is in an account without JetStream, and its
 * answers come through these services alone.
 */
const SERVICES = [
  ...sentSubjects('*'),
  ...[BUCKETS.assignments, BUCKETS.policies, BUCKETS.orders].map((bucket) => valueRequestSubject(bucket, '>')),
]

/** What a viewer releases. Hosts hear of it from its account: what comes into STORE by a service goes out by no stream. */
const RELEASES = ['ring.*', 'host.*'].map((addressee) => valueSubject(BUCKETS.assignments, addressee))

/**
 * What a viewer asks of that account, for the same reason from an account of its own: it reads the reports, the record, what is assigned and
 * how far a rollout is, notes what it sees, and releases what was signed beforehand.
 */
const VIEWER_STREAMS = ['DG_FULL', 'DG_LARGE', 'DG_STATE', 'DG_BEAT', AUDIT_STREAM, ASSIGNMENTS_STREAM]
const VIEWER_SERVICES = [
  ...VIEWER_STREAMS.flatMap((name) => [`$JS.API.STREAM.INFO.${name}`, `$JS.API.STREAM.MSG.GET.${name}`]),
  ...[BUCKETS.assignments, BUCKETS.policies, BUCKETS.rollouts].map((bucket) => valueRequestSubject(bucket, '>')),
  ...RELEASES,
  valueSubject(BUCKETS.rollouts, ROLLOUT_KEY),
  ...VIEWER_ACT_SUBJECTS,
]

/** That a host has sent something, which makes a viewer look. */
const VIEWER_NOTICES = sentSubjects('*')

/** What hosts hear without asking: that there is another assignment or order. Others can forge it, so it only makes a host ask. */
const NOTICES = [BUCKETS.assignments, BUCKETS.orders].map((bucket) => valueSubject(bucket, '>'))

/** The configuration of a nats-server for a fleet, 2.9 or newer. */
export function serverConfig({ listen, directory, store, storeBytes, cluster }: ServerPlace, keys: StoreKeys): string {
  const path = (name: string): string => quoted(join(directory, name))
  return `# Made by "driftgate fleet init". Hosts and what they may do stand in ${SERVER_FILES.hosts}.
# Hosts and the viewer must not move to the account STORE, and theirs must not get JetStream: they could then have the
# server write its answers into the reports and assignments of others.
listen: ${quoted(listen)}
server_name: ${cluster === undefined ? '"driftgate"' : `$${SERVER_NAME_VARIABLE}`}
max_payload: 1MB
tls {
  cert_file: ${path(SERVER_FILES.certificate)}
  key_file: ${path(SERVER_FILES.key)}
}
jetstream {
  store_dir: ${quoted(store)}
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

/** Each for one account alone: no other one could import it by mistake. */
function exported(services: readonly string[], notices: readonly string[], account: string): string {
  const only = `accounts: [${account}]`
  return `${listOf(services, (subject) => `service: ${subject}, ${only}`)}${listOf(notices, (subject) => `stream: ${subject}, ${only}`)}`
}

/** With another place for JetStream's API where the account's own would answer in its stead. */
function imported(services: readonly string[], notices: readonly string[], api = JETSTREAM_API): string {
  const from = (subject: string): string => `{ account: STORE, subject: ${subject} }`
  const to = (subject: string): string =>
    subject.includes(JETSTREAM_API) ? `, to: ${subject.replace(JETSTREAM_API, api)}` : ''
  return `${listOf(services, (subject) => `service: ${from(subject)}${to(subject)}`)}${listOf(notices, (subject) => `stream: ${from(subject)}`)}`
}

/** Servers of a cluster prove to each other that they are of this fleet by its certificate. */
function clusterConfig(names: readonly string[], path: (name: string) => string): string {
  const routes = names.map((name) => `    ${quoted(`nats-route://${name}:${CLUSTER_PORT}`)}\n`).join('')
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
  return subjects.map((subject) => `      { ${entry(quoted(subject))} }\n`).join('')
}

/** The hosts that may connect, each with what it may do. Throws for a name or key that would mean more than itself. */
export function hostsConfig(hosts: readonly EnrolledHost[]): string {
  const users = hosts.map(({ name, key }) => {
    if (!isSafeName(name)) throw new Error(`${JSON.stringify(name)} is no name of a host: ${NAME_RULE}`)
    if (!/^U[A-Z2-7]{55}$/.test(key)) throw new Error(`the key of ${name} is no public key of a user`)
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

/** The client that shows a fleet, in an account that has nothing else. */
const VIEWER: Permissions = {
  publish: VIEWER_SERVICES.map((subject) => subject.replace(JETSTREAM_API, VIEWER_API)),
  subscribe: ['_INBOX.>', ...VIEWER_NOTICES],
}

/** Which hosts are connected from where, and nothing else of the system. */
const CONNECTIONS: Permissions = { publish: [CONNECTIONS_SUBJECT], subscribe: ['_INBOX.>'] }

function permissions({ publish, subscribe }: Permissions, depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const list = (subjects: readonly string[]): string =>
    subjects.map((subject) => `\n${indent}  ${quoted(subject)}`).join('')
  return `{
${indent}publish: [${list(publish)}
${indent}]
${indent}subscribe: [${list(subscribe)}
${indent}]
${'  '.repeat(depth)}}`
}

/** A text of the configuration. Throws where it cannot say it. */
function quoted(text: string): string {
  if (/["\\\p{Cc}]/u.test(text)) throw new Error(`${JSON.stringify(text)} cannot stand in a server's configuration`)
  return `"${text}"`
}
