import { known, type Reading, unknown } from '../../model/observation.ts'
import type { AccessReader } from '../access.ts'
import type { AccountSet, LocalAccounts, UserAccount, UserGroup } from '../../subjects/accounts/accounts.ts'
import { ACCOUNTS } from '../../subjects/accounts/subject.ts'
import { parseOsRelease } from '../os-release.ts'
import type { SystemProbe } from '../probe.ts'
import type { AccountLookup, HostAtRest, ReadableSubject, Target, TargetSystem } from '../target.ts'
import { openSubjects } from '../subject.ts'
import { LOCAL_POLICY_FILES } from '../live/local-target.ts'
import { openRootedFiles, type RootedFooting, type RootedSource } from './files.ts'
import { needsRunningSystem, NO_RUNNING_SYSTEM } from '../offline.ts'
import { openTreesAtRest } from './trees.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import { readingOf } from '../live/machine-reading.ts'

/** Processor architectures by machine number in the ELF header. @see elf(5) */
const MACHINES: ReadonlyMap<number, string> = new Map([
  [3, 'i686'],
  [21, 'ppc64le'],
  [22, 's390x'],
  [40, 'armv7l'],
  [62, 'x86_64'],
  [183, 'aarch64'],
  [243, 'riscv64'],
])

const PROGRAMS = ['/bin/sh', '/usr/bin/env', '/sbin/init', '/usr/lib/systemd/systemd']
const HEADER_BYTES = 20
const MACHINE_AT = 18

type ReadHead = (path: string, maxBytes: number) => Reading<Uint8Array>

/** Properties of an offline system that do not come from its files, or override them. */
export interface AtRest extends Pick<Target, 'kind' | 'path' | 'image'> {
  readonly access: AccessReader
  readonly system?: Partial<TargetSystem>
}

/**
 * The offline system with these files, read-only. Nothing in it is started, and no value comes from the machine that
 * driftgate runs on.
 */
export function openSystemAtRest<At extends RootedFooting<At>>(
  source: RootedSource<At>,
  { system, ...at }: AtRest,
): Target {
  const shown = {
    userName: (uid: number) => ids.users()?.find((each) => each.uid === uid)?.name,
    groupName: (gid: number) => ids.groups()?.find((each) => each.gid === gid)?.name,
  }
  const opened = openRootedFiles(source, shown)
  const { bulk, target: files } = opened
  const atRest = filesAtRest(bulk)
  const probe = createRootedProbe(atRest, files.readHead)
  const subjects = openSubjects((subject: ReadableSubject<object>) => subject.read.atRest(host))
  const ids = idsOf(() => target.open(ACCOUNTS))
  const trees = openTreesAtRest(source, opened)
  const target: Target = {
    ...at,
    policyFiles: LOCAL_POLICY_FILES,
    system: { ...describeRoot(probe), ...system },
    probe,
    files: { ...files, readText: probe.readText, list: probe.list },
    names: { ...ids.lookups, ...shown },
    trees,
    open: subjects.open as Target['open'],
    forget() {
      source.forget?.()
      trees.forget()
      subjects.forget()
    },
    run: async ({ argv: [program] }) => ({
      kind: 'not-started',
      message: `${program} is not run: programs are not run for a target that is not running`,
      needs: 'running-system',
    }),
  }
  const host: HostAtRest = { ...target, startFiles: atRest, bulkFiles: bulk }
  return target
}

/** Describes the system below a root. @see os-release(5), hostname(5), machine-id(5) */
function describeRoot(probe: SystemProbe): TargetSystem {
  const first = (...paths: readonly string[]): string => {
    const found = paths.map((path) => probe.readText(path)).find((text) => text.kind === 'known' && text.value !== null)
    return found?.kind === 'known' ? (found.value ?? '') : ''
  }
  const release = parseOsRelease(first('/etc/os-release', '/usr/lib/os-release'))
  const hostname = first('/etc/hostname')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'))
  const identity = first('/etc/machine-id', '/var/lib/dbus/machine-id').trim()
  return {
    platform: 'linux',
    hostname: hostname ?? 'localhost',
    os: { id: release.get('ID') ?? 'linux', version: release.get('VERSION_ID') ?? '' },
    ...(/^[0-9a-f]{32}$/.test(identity) ? { identity } : {}),
  }
}

interface Ids {
  readonly users: () => readonly UserAccount[] | undefined
  readonly groups: () => readonly UserGroup[] | undefined
  readonly lookups: Omit<AccountLookup, 'userName' | 'groupName'>
}

function idsOf(accounts: () => LocalAccounts): Ids {
  const among = <Answer>(what: string, pick: (set: AccountSet) => Answer | undefined): Reading<Answer | null> => {
    const set = accounts().read()
    if (set.kind === 'unknown') return set
    const found = pick(set.value)
    if (found !== undefined) return known(found)
    const others = set.value.notAsked
    if (others.length === 0) return known(null)
    return unknown('not-observable', `other ${what} may come from ${others.join(', ')}: ${NO_RUNNING_SYSTEM}`)
  }
  return {
    users: () => valueOf(accounts().read())?.users,
    groups: () => valueOf(accounts().read())?.groups,
    lookups: {
      userId: (name) => among('users', ({ users }) => users.find((each) => each.name === name)?.uid),
      groupId: (name) => among('groups', ({ groups }) => groups.find((each) => each.name === name)?.gid),
      findUserName: (id) => among('users', ({ users }) => users.find(({ uid }) => uid === id)?.name),
      findGroupName: (id) => among('groups', ({ groups }) => groups.find(({ gid }) => gid === id)?.name),
    },
  }
}

function valueOf<Value>(reading: Reading<Value>): Value | undefined {
  return reading.kind === 'known' ? reading.value : undefined
}

/** Reads facts and configuration of an offline system. */
function createRootedProbe(files: MachineFiles, readHead: ReadHead): SystemProbe {
  const { readText, list } = readingOf(files)
  return {
    readText,
    list,
    filesystemUsage: (path) => needsRunningSystem(path),
    addresses: () => [],
    machine: machineOf(readHead),
  }
}

/** Empty if no program reveals it. */
function machineOf(readHead: ReadHead): string {
  for (const path of PROGRAMS) {
    const head = readHead(path, HEADER_BYTES)
    if (head.kind === 'unknown' || head.value.length < HEADER_BYTES) continue
    const bytes = Buffer.from(head.value)
    if (!bytes.subarray(0, 4).equals(Buffer.from('\u007fELF', 'latin1'))) continue
    const machine = MACHINES.get(bytes[5] === 2 ? bytes.readUInt16BE(MACHINE_AT) : bytes.readUInt16LE(MACHINE_AT))
    if (machine !== undefined) return machine
  }
  return ''
}

/** Files as they are at boot: /run is empty, so leftovers in it do not affect the configuration. */
function filesAtRest(files: MachineFiles): MachineFiles {
  return {
    lstat: (path) => (isOfStart(path) ? undefined : files.lstat(path)),
    // The tmpfs mounted there has the attributes of a root directory.
    stat: (path) => (isOfStart(path) ? undefined : files.stat(isRun(path) ? '/' : path)),
    names: (path) => (isRun(path) ? [] : files.names(unlessOfStart(path))),
    entries: (path) => (isRun(path) ? [] : files.entries(unlessOfStart(path))),
    whole: (path, maxBytes) => files.whole(unlessOfStart(path), maxBytes),
    link: (path) => files.link(unlessOfStart(path)),
  }
}

function isRun(path: string): boolean {
  return /^\/(?:var\/)?run\/?$/.test(path)
}

function isOfStart(path: string): boolean {
  return /^\/(?:var\/)?run\/[^/]/.test(path)
}

function unlessOfStart(path: string): string {
  if (isOfStart(path)) throw Object.assign(new Error('does not exist at boot'), { code: 'ENOENT', errno: -2 })
  return path
}
