import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { driftgate } from '../support/driftgate.ts'
import { OWN_ARCHITECTURE } from '../support/image.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { INSTALLED, RULES } from './baseline/rules.ts'
import { idOf } from './baseline/scan.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 900_000

const POLICIES = fileURLToPath(new URL('../../policies', import.meta.url))

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

/**
 * Why a resource that is judged on a running host is not, or not whole, of its files: by type, the properties that are not
 * known of them, or `*` for the resource. Nothing else may be.
 */
const NOT_OF_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  accounts: { home_excludes: 'a home lies below /run', home_modes: 'a home lies below /run' },
  audit_rule: { loaded: 'the rules of the kernel', enabled: 'whether the kernel records anything' },
  boot_argument: { value: 'the arguments of this start', entries: 'no boot loader', source: 'no boot loader' },
  boot_password: { '*': 'no boot loader' },
  command: { '*': 'commands are not run' },
  file: { '*': 'it lies below /run' },
  files: { entries: 'a file that is named lies below /run' },
  firewall: {
    allowed: 'who listens',
    default: 'the rules in force',
    loopback: 'the rules in force',
    manager: 'what runs',
    spoofed_loopback: 'the rules in force',
  },
  interface: { '*': 'interfaces' },
  kernel_module: { available: 'no kernel is installed', loaded: 'what the kernel has' },
  mac: { '*': 'the mode of the kernel', mode: 'the mode of the kernel', stored: 'arguments of this start' },
  mount: { ensure: 'what is mounted', options: 'what is mounted' },
  package: { ensure: 'what the index offers' },
  port: { '*': 'sockets' },
  process: { '*': 'processes' },
  service: { active: 'what runs', ensure: 'what runs' },
  sysctl: {
    '*': 'a condition on what only a running system tells',
    ensure: 'parameters',
    interface: 'interfaces',
    value: 'the value now',
  },
}

/** What the files alone say, and the running host does not. */
const OF_FILES_ALONE: Readonly<Record<string, readonly string[]>> = {
  // A copy of a keyfile was changed when it was copied; of a disk that is mounted the times are as they were.
  dconf_databases: ['compiled'],
  // Nothing is mounted, or the kernel has no such parameter: what is stored for it is not looked at there.
  mount: ['stored_options'],
  sysctl: ['stored'],
}

describe.skipIf(unavailable)(
  `a Debian host, looked at from inside, by SSH, by its files and by an image of them (${unavailable ?? 'booted for the test'})`,
  () => {
    test(
      `has the same verdicts by every policy that ships, before and after ${RULES.length} violations`,
      async () => {
        const host = await bootedHost()
        await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y ${INSTALLED} ufw nginx >/dev/null 2>&1
          systemctl disable -q --now auditd 2>/dev/null; systemctl reset-failed; echo '127.0.0.1 localhost' > /etc/hosts`)
        // Half of what would be copied and packed are packages that no step installs.
        await host.shell('find /srv/packages -size +2M -delete')
        // The logs that cron and mail begin some time are there before the first look.
        await host.shell('logger -p cron.info begins; logger -p mail.info begins; sync')
        for (const { prepare } of RULES) if (prepare !== undefined) await host.shell(prepare)
        expect(differences(await lookEveryWay(host))).toEqual([])

        // What a host lacks is repaired first, so that each violation is one.
        await host.run(['driftgate', 'scan', '/root/policy.yaml', '--fix'])
        for (const { violation } of RULES) await host.shell(violation)
        const after = await lookEveryWay(host)
        expect(differences(after)).toEqual([])
        for (const files of [after.directory, after.image]) expect(notFound(files)).toEqual([])
      },
      TIMEOUT_MS,
    )
  },
)

async function bootedHost(): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  const resources = RULES.map(({ type, name, properties }) => ({ [type]: [{ [name]: properties }] }))
  await host.write('/root/policy.yaml', JSON.stringify({ ccm: { resources } }))
  return host
}

/** The same policies by every way to the host. */
interface Looks {
  readonly host: Run
  readonly ssh: Run
  readonly directory: Run
  readonly image: Run
}

/** Scans a host with every policy that ships and with that of the violations: inside, by SSH, and then its files. */
async function lookEveryWay(host: DebianHost): Promise<Looks> {
  const here = temporaryDirectory()
  const scan = 'driftgate scan /usr/local/lib/node_modules/driftgate/policies/*.yaml /root/policy.yaml --report json'
  const inside = runOf(await host.run(['sh', '-c', scan]))
  // What lies beside a policy travels with it.
  mkdirSync(join(here, 'policy'))
  writeFileSync(join(here, 'policy/policy.yaml'), await host.shell('cat /root/policy.yaml'))
  const policies = execFileSync('sh', ['-c', 'ls *.yaml'], { cwd: POLICIES, encoding: 'utf8' }).trim().split('\n')
  const args = [...policies.map((name) => join(POLICIES, name)), join(here, 'policy/policy.yaml'), '--report', 'json']
  const look = async (target: string, env: Readonly<Record<string, string>> = {}): Promise<Run> =>
    runOf(await driftgate(['scan', ...args, '--target', target], { cwd: here, env }))
  const client = await clientFor(host, here)
  const root = join(here, 'root')
  mkdirSync(root)
  // File systems mounted in the host are not part of its files.
  execFileSync('cp', ['--archive', '--one-file-system', `/proc/${host.init()}/root/.`, root])
  const saved = saveImage(here, root)
  const [ssh, directory, image] = await Promise.all([
    look('ssh:root@debian', client),
    look(`root:${root}`),
    look(`image:${saved}`),
  ])
  rmSync(here, { recursive: true })
  return { host: inside, ssh, directory, image }
}

function runOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): Run {
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Run
}

/** The environment of a client whose connection is a server that runs in the host, for want of a network. */
async function clientFor(host: DebianHost, here: string): Promise<Readonly<Record<string, string>>> {
  const at = (name: string): string => join(here, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', at('key')])
  // Not where anything of it would be looked at.
  const there = '/run/driftgate-ssh'
  await host.shell(
    `rm -rf ${there}; mkdir -p ${there} /run/sshd; ssh-keygen -q -t ed25519 -N '' -C test -f ${there}/host`,
  )
  await host.write(`${there}/authorized_keys`, readFileSync(at('key.pub'), 'utf8'))
  const server = [
    `HostKey ${there}/host`,
    `AuthorizedKeysFile ${there}/authorized_keys`,
    'PermitRootLogin yes',
    'UsePAM no',
    'StrictModes no',
  ]
  await host.write(`${there}/config`, server.map((line) => `${line}\n`).join(''))
  writeFileSync(at('known_hosts'), `debian ${await host.shell(`cat ${there}/host.pub`)}`)
  const enter = `nsenter --target ${host.init()} --mount --uts --ipc --net --pid --cgroup --root --wd -- /usr/sbin/sshd -i -f ${there}/config`
  const client = [
    'Host debian',
    `IdentityFile ${at('key')}`,
    `UserKnownHostsFile ${at('known_hosts')}`,
    `ProxyCommand ${enter}`,
  ]
  writeFileSync(at('ssh_config'), client.map((line) => `${line}\n`).join(''))
  mkdirSync(at('bin'))
  writeFileSync(at('bin/ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F ${at('ssh_config')} "$@"\n`, { mode: 0o755 })
  return { PATH: `${at('bin')}:${process.env['PATH'] ?? ''}` }
}

/** The files as an image of one layer, unpacked as `docker save` would have it. */
function saveImage(here: string, root: string): string {
  const image = join(here, 'image')
  mkdirSync(image)
  const layer = join(image, 'layer.tar')
  const attributes = ['--xattrs', '--xattrs-include=*', '--numeric-owner', '--warning=no-file-ignored']
  execFileSync('tar', [...attributes, '-C', root, '-cf', layer, '.'])
  const [digest = ''] = execFileSync('sha256sum', [layer], { encoding: 'utf8' }).split(' ')
  const config = {
    os: 'linux',
    architecture: OWN_ARCHITECTURE,
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  }
  writeFileSync(join(image, 'config.json'), JSON.stringify(config))
  const manifest = [{ Config: 'config.json', RepoTags: ['debian:test'], Layers: ['layer.tar'] }]
  writeFileSync(join(image, 'manifest.json'), JSON.stringify(manifest))
  return image
}

/** Everything that is not the same, and that nothing explains. */
function differences({ host, ssh, directory, image }: Looks): readonly unknown[] {
  return [
    ...differencesOf('ssh', ssh, host, otherwise),
    ...differencesOf('root', directory, host, unexplained),
    ...differencesOf('image', image, host, unexplained),
    ...differencesOf('image of the directory', image, directory, otherwiseInImage),
  ]
}

type Compare = (seen: ResourceResult, expected: ResourceResult) => string | undefined

function differencesOf(way: string, seen: Run, expected: Run, compare: Compare): readonly unknown[] {
  const [some, others] = [resourcesOf(seen), resourcesOf(expected)]
  expect([...some.keys()]).toEqual([...others.keys()])
  return [...some].flatMap(([key, resource]) => {
    const other = others.get(key)
    const said = other === undefined ? 'there is none' : compare(resource, other)
    return said === undefined ? [] : [{ way, key, said, seen: shown(resource), expected: shown(other) }]
  })
}

/** Where nothing but the way differs, everything is the same. */
function otherwise(seen: ResourceResult, expected: ResourceResult): string | undefined {
  return isDeepStrictEqual(judged(seen), judged(expected)) ? undefined : 'it is not the same'
}

/** An image does not keep when a file was changed, only what its time was set to. */
function otherwiseInImage(seen: ResourceResult, expected: ResourceResult): string | undefined {
  const isOlder = expected.type === 'dconf_databases' && expected.drift.every(({ property }) => property === 'compiled')
  return isOlder && seen.drift.length === 0 ? undefined : otherwise(seen, expected)
}

function judged({ verdict, drift, unknown }: ResourceResult): unknown {
  return {
    verdict,
    drift: drift.map(({ property, path }) => [property, path]),
    unknown: unknown?.map(({ property }) => property),
  }
}

function unexplained(offline: ResourceResult, host: ResourceResult): string | undefined {
  if (offline.verdict === 'compliant' && host.verdict !== 'compliant') return 'compliant by its files alone'
  const open = NOT_OF_FILES[offline.type] ?? {}
  const missing = offline.unknown?.map(({ property }) => property) ?? (offline.verdict === 'error' ? ['*'] : [])
  if (offline.verdict === 'error' && host.verdict !== 'error') {
    const strange = missing.find((property) => open[property] === undefined)
    if (strange !== undefined) return `${strange} is not known`
  }
  const lost = host.drift.filter((drift) => !offline.drift.some((other) => isSame(drift, other)))
  const unseen = lost.find(
    ({ property }) => !missing.includes(property) && !missing.includes('*') && open[property] === undefined,
  )
  if (unseen !== undefined) return `${unseen.property} is not found`
  const more = offline.drift.filter((drift) => !host.drift.some((other) => isSame(drift, other)))
  const invented = more.find(({ property }) => OF_FILES_ALONE[offline.type]?.includes(property) !== true)
  return invented === undefined ? undefined : `${invented.property} is not so`
}

function isSame(one: ResourceResult['drift'][number], other: ResourceResult['drift'][number]): boolean {
  return one.property === other.property && one.path === other.path
}

function resourcesOf(run: Run): ReadonlyMap<string, ResourceResult> {
  return new Map(
    run.policies.flatMap(({ id, resources }) =>
      resources.map((resource, index) => [`${id ?? ''} ${index} ${resource.id}`, resource] as const),
    ),
  )
}

function shown(resource: ResourceResult | undefined): unknown {
  if (resource === undefined) return undefined
  const { verdict, message, drift } = resource
  return { verdict, message, drift: drift.map(({ property, observed, path }) => [property, observed, path]) }
}

/** Violations that lie in files and that were not found in them. */
function notFound(run: Run): readonly unknown[] {
  const last = run.policies.at(-1)?.resources ?? []
  return RULES.flatMap((rule) => {
    const found = last.find(({ id }) => id === idOf(rule))
    const open = NOT_OF_FILES[rule.type] ?? {}
    const lost = rule.drift.filter(
      ([property]) =>
        open[property] === undefined && found?.drift.every((drift) => drift.property !== property) !== false,
    )
    return lost.length === 0 || open['*'] !== undefined ? [] : [{ id: idOf(rule), lost, found: shown(found) }]
  })
}
