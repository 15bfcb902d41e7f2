import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { type NatsServer, startNats } from './nats-server.ts'
import { temporaryDirectory } from './temporary.ts'

/** Starts a server with JetStream and a store of its own; `more` is put into its configuration. It ends with the test. */
export async function startJetStream(more = ''): Promise<NatsServer> {
  const directory = temporaryDirectory()
  const file = join(directory, 'server.conf')
  writeFileSync(file, `listen: "127.0.0.1:-1"\njetstream { store_dir: "${directory}/store" }\n${more}\n`)
  return await startNats(file)
}

/** Writes contexts by name into a new configuration home, and gives the environment that finds them. */
export function contexts(named: Readonly<Record<string, object>>): { readonly XDG_CONFIG_HOME: string } {
  const home = temporaryDirectory()
  mkdirSync(join(home, 'nats/context'), { recursive: true })
  for (const [name, members] of Object.entries(named)) {
    writeFileSync(join(home, 'nats/context', `${name}.json`), JSON.stringify(members), { mode: 0o600 })
  }
  return { XDG_CONFIG_HOME: home }
}

/** The environment in which the context CCM is this server. */
export function contextOf({ port }: NatsServer): { readonly XDG_CONFIG_HOME: string } {
  return contexts({ CCM: { url: `nats://127.0.0.1:${port}` } })
}

export async function withNats<Value>(
  { port }: NatsServer,
  work: (connection: NatsConnection) => Promise<Value>,
): Promise<Value> {
  const connection = await connect({ servers: `127.0.0.1:${port}` })
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** Makes the registry as `ccm registration init` of the version in use does, without direct access. */
export async function makeRegistry(connection: NatsConnection, name = 'REGISTRATION'): Promise<void> {
  const manager = await jetstreamManager(connection)
  await manager.streams.add({
    name,
    subjects: ['choria.ccm.registration.v1.>'],
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    deny_delete: true,
    storage: StorageType.File,
  })
}

/** Puts values into buckets, an object for each file, and gives the environment that finds the server. */
export async function serverWith({
  values = {},
  objects = {},
}: { values?: Record<string, string>; objects?: Record<string, string> } = {}): Promise<{
  readonly server: NatsServer
  readonly environ: Readonly<Record<string, string>>
}> {
  const server = await startJetStream()
  await withNats(server, async (connection) => {
    const store = await new Kvm(connection).create('CONFIG')
    for (const [key, value] of Object.entries(values)) await store.put(key, value)
    const bundles = await new Objm(connection).create('Bundles')
    for (const [name, file] of Object.entries(objects)) await bundles.putBlob({ name }, readFileSync(file))
  })
  return { server, environ: contextOf(server) }
}

/** The body of a registration. */
export function entry(address: string, port: number, more: object = {}): object {
  return { cluster: 'prod', service: 'web', protocol: 'http', address, port, priority: 1, ...more }
}

/** Publishes bodies of registrations as CCM does, and creates the registry before, if missing. */
export async function publish(server: NatsServer, entries: readonly object[]): Promise<void> {
  await withNats(server, async (connection) => {
    await makeRegistry(connection).catch(() => undefined)
    for (const body of entries) {
      const { cluster, protocol, service, address, port } = body as Record<string, string>
      const words = [cluster, protocol, service, address?.replaceAll('.', '_'), `id${port}`]
      await jetstream(connection).publish(`choria.ccm.registration.v1.${words.join('.')}`, JSON.stringify(body))
    }
  })
}
