import type { ContentDigest } from '../model/drift.ts'
import { absent, known, type Observation, type Reading, type Unknown, unknown } from '../model/observation.ts'
import type { BeyondMode } from '../host/access.ts'
import type { AccountSet } from '../subjects/accounts/accounts.ts'
import type { AuditState } from '../subjects/auditd/auditd.ts'
import type { AuditLayer } from '../subjects/auditd/rules/layers.ts'
import type { Ruleset } from '../subjects/firewall/rules/ruleset.ts'
import type { KernelBuild } from '../subjects/kernel-modules/kernel-builds.ts'
import type { ModuleStatus, SignatureCheck } from '../subjects/kernel-modules/kernel-modules.ts'
import type { WebAnswer } from '../subjects/network/network.ts'
import type { PackageDatabase } from '../subjects/packages/packages.ts'
import type { Remediator } from '../host/remediator.ts'
import type { SocketOwner } from '../subjects/sockets/sockets.ts'
import type { Exhibit, Target } from '../host/target.ts'

/** What a machine answers to every question; `name` is that of the method that was asked. */
export interface Answers {
  readonly observe: <State>(name: string, ask: () => Observation<State>) => Observation<State>
  /** `nothing` is what a machine says that has nothing. */
  readonly read: <Value>(name: string, ask: () => Readable<Value>, nothing: Value) => Readable<Value>
}

type Readable<Value> = Reading<Value> | Promise<Reading<Value>>

/**
 * A machine whose every answer passes through `answers`. Who it is (system, names for showing) and which providers suit it
 * stay as they are.
 */
export function answering(machine: Target, { observe, read }: Answers): Target {
  const { probe, packages, services, kernelModules, access, parameters, audit, mounts, trees, accounts } = machine
  const { processes, interfaces, tls } = machine
  const database = (name: 'apt' | 'dnf'): PackageDatabase => answeringPackages(packages[name], read)
  const now = <Value>(name: string, ask: () => Reading<Value>, nothing: Value): Reading<Value> =>
    settled(read(name, ask, nothing))
  return {
    kind: machine.kind,
    system: machine.system,
    probe: {
      machine: probe.machine,
      addresses: () => probe.addresses(),
      readText: (path) => now('probe', () => probe.readText(path), null),
      list: (path) => now('probe', () => probe.list(path), null),
      filesystemUsage: (path) => probe.filesystemUsage(path),
    },
    packages: { apt: database('apt'), dnf: database('dnf') },
    services: answeringServices(services, { observe, read }),
    kernelModules: answeringModules(kernelModules, { read }),
    kernelBuilds: answeringBuilds(machine.kernelBuilds, { read }),
    access: answeringAccess(access, { observe, read }),
    parameters: answeringParameters(parameters, { observe, read }),
    mounts: answeringMounts(mounts, { read }),
    processes: { list: () => now('processes', () => processes.list(), { processes: [] }) },
    sockets: answeringSockets(machine.sockets, { read }),
    interfaces: { list: async () => read('interfaces', () => interfaces.list(), []) },
    network: answeringNetwork(machine.network, read),
    firewall: {
      rules: async (signal) => read('firewall', () => machine.firewall.rules(signal), NO_FIREWALL),
      stored: async (manager, signal) => read('firewall', () => machine.firewall.stored(manager, signal), NO_FIREWALL),
      session: () => machine.firewall.session(),
    },
    trees: answeringTrees(trees, observe),
    accounts: answeringAccounts(accounts, { observe, read }),
    audit: { state: async (rules, signal) => read('audit', () => audit.state(rules, signal), NO_AUDIT) },
    tls: { certificates: async (peer, signal) => read('tls', () => tls.certificates(peer, signal), []) },
    lstat: (path) => observe('lstat', () => machine.lstat(path)),
    stat: (path) => observe('stat', () => machine.stat(path)),
    digest: (path, stat) => read('digest', () => machine.digest(path, stat), EMPTY_FILE),
    readHead: (path, maxBytes) => now('readHead', () => machine.readHead(path, maxBytes), new Uint8Array()),
    readExhibit: (path, maxBytes) => now('readExhibit', () => machine.readExhibit(path, maxBytes), EMPTY_EXHIBIT),
    isDirectoryEmpty: (path) => now('isDirectoryEmpty', () => machine.isDirectoryEmpty(path), true),
    listTree: (path) => now('listTree', () => machine.listTree(path), []),
    mountsWithin: (path) => now('mountsWithin', () => machine.mountsWithin(path), []),
    linkTarget: (path) => now('linkTarget', () => machine.linkTarget(path), ''),
    realPath: (path) => now('realPath', () => machine.realPath(path), null),
    userId: (name) => read('userId', () => machine.userId(name), null),
    groupId: (name) => read('groupId', () => machine.groupId(name), null),
    findUserName: (uid) => read('findUserName', () => machine.findUserName(uid), null),
    findGroupName: (gid) => read('findGroupName', () => machine.findGroupName(gid), null),
    userName: (uid) => machine.userName(uid),
    groupName: (gid) => machine.groupName(gid),
    forget: (touched) => machine.forget(touched),
    async run(command) {
      const answer = await read('run', async () => known(await machine.run(command)), NOT_THERE)
      return answer.kind === 'known' ? answer.value : { kind: 'not-started', message: answer.detail }
    },
  }
}

function answeringPackages(database: PackageDatabase, read: Answers['read']): PackageDatabase {
  return {
    exists: () => database.exists(),
    manager: () => database.manager(),
    expect: (names) => database.expect(names),
    find: (wanted) => read('packages', () => database.find(wanted), []),
    isNamed: (name) => database.isNamed(name),
    transaction: async (order) => read('packages', () => database.transaction(order), []),
    candidate: async (wanted) =>
      read('packages', () => database.candidate(wanted), { version: null, indexUpdated: undefined }),
  }
}

function answeringNetwork(network: Target['network'], read: Answers['read']): Target['network'] {
  return {
    dial: async (request) => read('network', () => network.dial(request), false),
    resolve: async (request) => read('network', () => network.resolve(request), []),
    request: async (request) => read('network', () => network.request(request), NO_ANSWER),
  }
}

function answeringServices(services: Target['services'], { observe, read }: Answers): Target['services'] {
  return {
    announce: (units) => services.announce(units),
    starters: async (unit, signal) => read('starters', () => services.starters(unit, signal), []),
    companions: async (unit, steps, signal) => read('companions', () => services.companions(unit, steps, signal), []),
    async status(unit, signal) {
      const seen = await services.status(unit, signal)
      // What the manager says of a unit that is not there is where its file could lie.
      const places = seen.kind === 'unknown' ? { unit, unitFiles: [] } : seen.context
      const answer = observe('services', () => (seen.kind === 'unknown' ? seen : { ...seen, context: undefined }))
      return answer.kind === 'unknown' ? answer : { ...answer, context: places }
    },
  }
}

function answeringModules(modules: Target['kernelModules'], { read }: Pick<Answers, 'read'>): Target['kernelModules'] {
  return {
    status: (name) => settled(read('kernelModules', () => modules.status(name), NO_MODULE)),
    signatures: () => settled(read('kernelModules', () => modules.signatures(), NO_SIGNATURES)),
  }
}

function answeringBuilds(builds: Target['kernelBuilds'], { read }: Pick<Answers, 'read'>): Target['kernelBuilds'] {
  return {
    running: async () => read('kernelBuilds', () => builds.running(), NO_OPTIONS),
    installed: async () => read('kernelBuilds', () => builds.installed(), []),
    forget: () => builds.forget(),
  }
}

function answeringSockets(sockets: Target['sockets'], { read }: Pick<Answers, 'read'>): Target['sockets'] {
  return {
    listening: (protocols) => settled(read('sockets', () => sockets.listening(protocols), [])),
    owner: async (socket) => read('sockets', () => sockets.owner(socket), NO_OWNER),
  }
}

function answeringParameters(parameters: Target['parameters'], { observe, read }: Answers): Target['parameters'] {
  return {
    read: (path) => observe('parameters', () => parameters.read(path)),
    interfaces: (family) => settled(read('parameters', () => parameters.interfaces(family), [])),
    stored: () => settled(read('parameters', () => parameters.stored(), { lists: [] })),
    forget: () => parameters.forget(),
  }
}

function answeringMounts(mounts: Target['mounts'], { read }: Pick<Answers, 'read'>): Target['mounts'] {
  return {
    now: (path) => settled(read('mounts', () => mounts.now(path), { kind: 'nothing', within: '/' })),
    stored: (path) => settled(read('mounts', () => mounts.stored(path), { kind: 'nothing' })),
    forget: () => mounts.forget(),
  }
}

function answeringAccess(access: Target['access'], { read }: Answers): Target['access'] {
  return {
    async beyondMode(paths) {
      const seen = await access.beyondMode(paths)
      return seen.map((each) => settled(read('access', () => each, NOTHING_BEYOND)))
    },
    async flags(paths) {
      const seen = await access.flags(paths)
      return seen.map((each) => settled(read('access', () => each, undefined)))
    },
    wayTo: (path, how) => settled(read('access', () => access.wayTo(path, how), [])),
    forget: () => access.forget(),
  }
}

const NOTHING_BEYOND: BeyondMode = { acl: undefined, defaultAcl: undefined, capabilities: undefined }

function answeringTrees(trees: Target['trees'], observe: Answers['observe']): Target['trees'] {
  return {
    async find(query) {
      const seen = await trees.find(query)
      return observe('trees', () => seen)
    },
  }
}

function answeringAccounts(accounts: Target['accounts'], { read }: Answers): Target['accounts'] {
  return {
    read: () => settled(read('accounts', () => accounts.read(), NO_ACCOUNTS)),
    shells: () => settled(read('accounts', () => accounts.shells(), [])),
    uidMin: () => settled(read('accounts', () => accounts.uidMin(), 1000)),
    guarded: () => accounts.guarded(),
    forget: () => accounts.forget(),
  }
}

// sha256 of nothing.
const EMPTY_FILE: ContentDigest = {
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  sizeBytes: 0,
}

const NO_ANSWER: WebAnswer = { status: 503, headers: [], body: known(new Uint8Array()) }

const NO_ACCOUNTS: AccountSet = { users: [], groups: [], notAsked: [], leftOut: [] }

/** A kernel that has no such module, and nothing that would load one. */
const NO_FIREWALL: Ruleset = { tables: [], chains: [] }

const NO_MODULE: ModuleStatus = {
  presence: known({ kind: 'not-loaded' }),
  place: known('absent'),
  configuration: known({ install: [], blacklist: [], aliases: [], masked: [], own: { path: '', state: 'none' } }),
  isLocked: known(false),
  isRefused: known(false),
}

const NO_SIGNATURES: SignatureCheck = { isEnforced: known(null), lockdown: known(null), isLocked: known(false) }

/** The kernel itself has the socket. */
const NO_OWNER: SocketOwner = { processes: [], units: known([]) }

/** A kernel that has no option set. */
export const NO_OPTIONS: KernelBuild = { release: '', file: '/proc/config.gz', options: new Map() }

const NO_RULES: AuditLayer = { entries: [], settings: new Map() }

/** A machine without audit rules and without what would make some of files. */
export const NO_AUDIT: AuditState = {
  loaded: known({ layer: NO_RULES, enabled: 0 }),
  compiled: known(NO_RULES),
  stored: known({ layer: NO_RULES, leading: 'spaces' }),
  syscalls: { native: 'b64', numberOf: () => undefined, isForeign: () => false },
  resolve: (rule) => ({ kind: 'rule', rule }),
  canCompile: false,
}

const EMPTY_EXHIBIT: Exhibit = { kind: 'shown', bytes: new Uint8Array() }

const NOT_THERE = { kind: 'not-started', message: 'there is no such program' } as const

/** A read that answers at once keeps doing so, because what is put in between never waits. */
function settled<Value>(answer: Readable<Value>): Reading<Value> {
  if (answer instanceof Promise) throw new Error('a machine answered later that answers at once')
  return answer
}

/** Answers of a machine with nothing on it. */
export const NOTHING: Answers = {
  observe: () => absent(),
  read: (_name, _ask, nothing) => known(nothing),
}

/** Answers that hide what the machine knows. `isHidden` decides for each question, counted from 0. */
export function hiding(isHidden: (question: number) => boolean): Answers & { readonly asked: () => number } {
  let questions = 0
  return {
    observe: (name, ask) => (isHidden(questions++) ? hidden(name) : ask()),
    read: (name, ask) => (isHidden(questions++) ? hidden(name) : ask()),
    asked: () => questions,
  }
}

function hidden(name: string): Unknown {
  return unknown('permission-denied', `the contract suite lets nobody see this (${name})`)
}

/** A remediator that counts what is asked of it. */
export function counting(remediator: Remediator): { readonly remediator: Remediator; readonly calls: () => number } {
  let calls = 0
  const watch = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === 'function') {
          return (...args: unknown[]): unknown => {
            calls++
            return Reflect.apply(member, target, args)
          }
        }
        return typeof member === 'object' && member !== null ? watch(member) : member
      },
    })
  return { remediator: watch(remediator), calls: () => calls }
}
