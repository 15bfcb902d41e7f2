import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/core/run.ts'
import { driftgate } from '../support/driftgate.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { INSTALLED, RULES } from './baseline/rules.ts'
import { idOf } from './baseline/scan.ts'
import { bootHost, type DebianHost, installDriftgate, prepareRootFilesystem } from './debian-host.ts'

const TIMEOUT_MS = 600_000

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
  firewall: {
    allowed: 'who listens',
    default: 'the rules in force',
    loopback: 'the rules in force',
    manager: 'what runs',
    spoofed_loopback: 'the rules in force',
    stored: 'nft would have to be run',
  },
  interface: { '*': 'interfaces' },
  kernel_module: { available: 'no kernel is installed', loaded: 'what the kernel has' },
  mac: { '*': 'the mode of the kernel', mode: 'the mode of the kernel', stored: 'arguments of this start' },
  mount: { ensure: 'what is mounted', options: 'what is mounted' },
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

describe.skipIf(unavailable !== undefined)(
  `a Debian host and a directory with its files (${unavailable ?? 'booted for the test'})`,
  () => {
    test(
      `have the same verdicts, before and after ${RULES.length} violations`,
      async () => {
        const host = await bootedHost()
        await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y ${INSTALLED} ufw nginx >/dev/null 2>&1
          systemctl disable -q --now auditd 2>/dev/null; systemctl reset-failed; echo '127.0.0.1 localhost' > /etc/hosts`)
        for (const { prepare } of RULES) if (prepare !== undefined) await host.shell(prepare)
        const before = await lookTwice(host)
        expect(differences(before)).toEqual([])

        // What a host lacks is repaired first, so that each violation is one.
        await host.run(['driftgate', 'scan', '/root/policy.yaml', '--fix'])
        for (const { violation } of RULES) await host.shell(violation)
        const after = await lookTwice(host)
        expect(differences(after)).toEqual([])
        expect(notFound(after.directory)).toEqual([])
      },
      TIMEOUT_MS,
    )
  },
)

async function bootedHost(): Promise<DebianHost> {
  if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
  const host = await bootHost(rootFilesystem.path)
  onTestFinished(host.stop)
  await installDriftgate(host)
  const resources = RULES.map(({ type, name, properties }) => ({ [type]: [{ [name]: properties }] }))
  await host.write('/root/policy.yaml', JSON.stringify({ ccm: { resources } }))
  return host
}

interface Looks {
  readonly host: Run
  readonly directory: Run
}

/** Scans a host with every policy that ships and with that of the violations, and then its files. */
async function lookTwice(host: DebianHost): Promise<Looks> {
  const here = temporaryDirectory()
  const scan = 'driftgate scan /usr/local/lib/node_modules/driftgate/policies/*.yaml /root/policy.yaml --report json'
  const seen = await host.run(['sh', '-c', scan])
  if (seen.stdout === '') throw new Error(seen.stderr)
  const root = join(here, 'root')
  mkdirSync(root)
  // What is mounted in the host is none of its files.
  execFileSync('cp', ['--archive', '--one-file-system', `/proc/${host.init()}/root/.`, root])
  writeFileSync(join(here, 'policy.yaml'), await host.shell('cat /root/policy.yaml'))
  const policies = execFileSync('sh', ['-c', 'ls *.yaml'], { cwd: POLICIES, encoding: 'utf8' }).trim().split('\n')
  const args = [...policies.map((name) => join(POLICIES, name)), join(here, 'policy.yaml')]
  const offline = await driftgate(['scan', ...args, '--target', `root:${root}`, '--report', 'json'], { cwd: here })
  rmSync(root, { recursive: true })
  if (offline.stdout === '') throw new Error(offline.stderr)
  return { host: JSON.parse(seen.stdout) as Run, directory: JSON.parse(offline.stdout) as Run }
}

/** Everything that is not the same, and that nothing explains. */
function differences({ host, directory }: Looks): readonly unknown[] {
  const onHost = resourcesOf(host)
  const offline = resourcesOf(directory)
  expect([...offline.keys()]).toEqual([...onHost.keys()])
  return [...offline].flatMap(([key, resource]) => {
    const other = onHost.get(key)
    const said = other === undefined ? 'there is none' : unexplained(resource, other)
    return said === undefined ? [] : [{ key, said, offline: shown(resource), host: shown(other) }]
  })
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
