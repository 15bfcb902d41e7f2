import { AUTHSELECT_DIRECTORY, AUTHSELECT_STACKS } from '../../subjects/pam/stack/authselect.ts'
import { PROFILE_RECORDS } from '../../subjects/pam/stack/profiles.ts'
import { PAM_TYPES } from '../../subjects/pam/stack/stack.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import { defined } from '../../model/defined.ts'
import { type Command, POLICY_ENVIRONMENT, type StoredCommand } from '../../host/command.ts'
import type { FirewallChange, FirewallManager } from '../../subjects/firewall/firewall.ts'
import type { PackageManagers, PackageOperations } from '../../subjects/packages/packages.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { ServiceStep } from '../../subjects/services/services.ts'
import type { Target } from '../../host/target.ts'
import type { ActionOutcome, Failed, Intent, Recorder } from './recorder.ts'
import type { StepOwner } from './step.ts'
import { attributesOf, directoryOf, linksOf, madeWith, missingAbove, wholes, withBelow, withTarget } from './touched.ts'

/** What a remediator that keeps needs. */
export interface Keeping {
  readonly inner: Remediator
  readonly recorder: Recorder
  readonly target: Target
  readonly owner: StepOwner
}

/** The files of accounts, which the tools of shadow change together. */
const ACCOUNT_FILES = ['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid'].map((name) => `/etc/${name}`)

/** What authselect(8) writes: its own directory, the links into that, and its copies of what it wrote. */
const AUTHSELECT_FILES = [
  AUTHSELECT_DIRECTORY,
  ...AUTHSELECT_STACKS.flatMap((name) => [`/etc/pam.d/${name}`, `/var/lib/authselect/${name}`]),
  ...['nsswitch.conf', 'dconf-db', 'dconf-locks', 'checksum'].map((name) => `/var/lib/authselect/${name}`),
  '/etc/nsswitch.conf',
]

/** What each manager keeps its rules in, and how one loads them whose rules in force are nowhere else. */
const FIREWALLS: Readonly<
  Record<FirewallManager, { readonly files: readonly string[]; readonly load?: StoredCommand['argv'] }>
> = {
  nftables: { files: ['/etc/nftables.conf', '/etc/sysconfig/nftables.conf'] },
  ufw: { files: ['/etc/default/ufw', '/etc/ufw'] },
  firewalld: { files: ['/etc/firewalld'], load: ['firewall-cmd', '--reload'] },
  iptables: { files: ['/etc/iptables', '/etc/sysconfig/iptables', '/etc/sysconfig/ip6tables'] },
}

const IPTABLES = { ip: 'iptables', ip6: 'ip6tables' } as const

/** The rules in force that a change is about. They are put back themselves: not all of them are stored, nor all of what is stored in force. */
function rulesOf({ manager, place, added, halves }: FirewallChange): readonly string[] {
  if (halves.inForce === 'kept') return []
  if (manager === 'firewalld') return []
  if (manager !== 'nftables') return added.families.map((family) => IPTABLES[family])
  return [halves.inForce === 'added' ? `nft ${place.family} ${place.table}` : 'nft']
}

/** Starting or stopping what a unit needs may take as long as systemd waits. */
const PATIENCE_MS = 600_000

/** What augenrules(8) makes of the sources, and what it made of them before. */
const COMPILED_AUDIT_RULES = '/etc/audit/audit.rules'
const PREVIOUS_AUDIT_RULES = `${COMPILED_AUDIT_RULES}.prev`

/** Does what `inner` does for one resource, and keeps what that replaces. */
export function keepingRemediator({ inner, recorder, target, owner }: Keeping): Remediator {
  const keep: Keep = (intent, action) => recorder.perform(owner, intent, action)
  const keepStaged: Keep = (intent, action) => recorder.performStaged(owner, intent, action)
  const work = { inner, target, keep, keepStaged }
  return {
    ...defined({ runsNothing: inner.runsNothing }),
    ...keepingFiles(work),
    ...keepingKernel(work),
    ...keepingPrograms(work),
    packages: {
      apt: keepingPackages('apt', { operations: inner.packages.apt, keep }),
      dnf: keepingPackages('dnf', { operations: inner.packages.dnf, keep }),
    },
    async run(command) {
      const outcome = await keep(undoOf(command), () => inner.run(command))
      return outcome.kind === 'failed' ? { kind: 'not-started', message: outcome.message } : outcome
    },
  }
}

type Keep = <Outcome extends ActionOutcome>(intent: Intent, action: () => Promise<Outcome>) => Promise<Outcome | Failed>

interface Work extends Pick<Keeping, 'inner' | 'target'> {
  readonly keep: Keep
  readonly keepStaged: Keep
}

type FileMethods =
  | 'writeFile'
  | 'setAttributes'
  | 'setAccess'
  | 'adjustAttributes'
  | 'setOwner'
  | 'createDirectory'
  | 'remove'
  | 'removeEmptyDirectory'
  | 'download'
  | 'extract'

function keepingFiles({ inner, target, keep, keepStaged }: Work): Pick<Remediator, FileMethods> {
  const whole = (path: string): Intent => wholes([path])
  const replaced = (path: string): Intent => ({ ...whole(path), replaces: true })
  const outside = (path: string): Intent => attributesOf([path])
  return {
    writeFile: (path, content, attributes) =>
      keepStaged(replaced(path), () => inner.writeFile(path, content, attributes)),
    setAttributes: (path, attributes) => keep(outside(path), () => inner.setAttributes(path, attributes)),
    setAccess: (path, change) => keep(outside(path), () => inner.setAccess(path, change)),
    adjustAttributes: (path, settle) => keep(outside(path), () => inner.adjustAttributes(path, settle)),
    setOwner: (path, ownership, options) =>
      keep(options?.recursive === true ? withBelow(target, path) : outside(path), () =>
        inner.setOwner(path, ownership, options),
      ),
    createDirectory: (path, attributes) =>
      keep(directoryOf(target, path), () => inner.createDirectory(path, attributes)),
    remove: (path, options) => keep(replaced(path), () => inner.remove(path, options)),
    removeEmptyDirectory: (path) => keep(whole(path), () => inner.removeEmptyDirectory(path)),
    download: (request) => keep(whole(request.path), () => inner.download(request)),
    extract: (request) =>
      keep(attributesOf(missingAbove(target, request.directory)), () =>
        inner.extract({ ...request, placing: (paths, move) => keep(wholes(paths), async () => move()) }),
      ),
  }
}

function keepingKernel({ inner, target, keep }: Work): Pick<Remediator, 'parameters' | 'kernelModules' | 'mounts'> {
  return {
    parameters: {
      set: (path, value) =>
        keep({ things: [{ kind: 'parameter', name: path }] }, () => inner.parameters.set(path, value)),
    },
    kernelModules: {
      change(name, steps, signal) {
        const status = target.kernelModules.status(name)
        const configuration = status.kind === 'known' ? status.value.configuration : status
        const own = configuration.kind === 'known' ? [configuration.value.own.path] : []
        return keep({ things: [...wholes(own).things, { kind: 'module', name }] }, () =>
          inner.kernelModules.change(name, steps, signal),
        )
      },
    },
    mounts: {
      checkFstab: (before, after, signal) => inner.mounts.checkFstab(before, after, signal),
      remount: (remount, signal) =>
        keep({ things: [{ kind: 'mount', name: remount.path }] }, () => inner.mounts.remount(remount, signal)),
      // Where nothing runs nothing is told of it, now or later.
      reload: (signal) =>
        keep(inner.runsNothing === undefined ? { again: system(['systemctl', 'daemon-reload']) } : {}, () =>
          inner.mounts.reload(signal),
        ),
    },
  }
}

type ProgramControls = 'firewall' | 'services' | 'audit' | 'bootMenus' | 'pamProfiles' | 'accounts'

function keepingPrograms({ inner, target, keep }: Work): Pick<Remediator, ProgramControls> {
  return {
    firewall: {
      change(change, judge, signal) {
        const { files, load } = FIREWALLS[change.manager]
        const rules = rulesOf(change).map((name) => ({ kind: 'rules', name }) as const)
        const things = [...wholes(files.flatMap((path) => withTarget(target, path))).things, ...rules]
        return keep({ things, ...(load !== undefined && { again: system(load) }) }, () =>
          inner.firewall.change(change, judge, signal),
        )
      },
      load: (rules, signal) =>
        keep({ things: [{ kind: 'rules', name: rules.program }] }, () => inner.firewall.load(rules, signal)),
    },
    services: {
      ...inner.services,
      change: (unit, steps, signal) => changeUnit({ inner, target, keep }, { unit, steps, signal }),
    },
    audit: {
      change(change, signal) {
        const sources = change.file === undefined ? [] : [change.file.path]
        const things = wholes([...sources, COMPILED_AUDIT_RULES, PREVIOUS_AUDIT_RULES])
        const load = system(['auditctl', '-R', COMPILED_AUDIT_RULES])
        const work = (): Promise<ApplyOutcome> => inner.audit.change(change, signal)
        return keep({ ...things, again: system(['augenrules']), unlessBack: true }, () =>
          change.load ? keep({ again: load }, work) : work(),
        )
      },
    },
    bootMenus: {
      generate: (menu, signal) => keep(wholes([menu.file]), () => inner.bootMenus.generate(menu, signal)),
    },
    pamProfiles: {
      enable(profile, objection, signal) {
        const stacks = [...PAM_TYPES, 'session-noninteractive'].map((type) => `/etc/pam.d/common-${type}`)
        return keep(wholes([...stacks, PROFILE_RECORDS]), () => inner.pamProfiles.enable(profile, objection, signal))
      },
      enableFeatures(features, objection, signal) {
        return keep(wholes(AUTHSELECT_FILES), () => inner.pamProfiles.enableFeatures(features, objection, signal))
      },
    },
    accounts: {
      change(commands, signal) {
        const made = commands.flatMap((command) => madeWith(target, command))
        const above = [...new Set(made.flatMap((path) => missingAbove(target, path)))]
        const records = ACCOUNT_FILES.map((name) => ({ kind: 'records', name }) as const)
        const things = [...attributesOf(above).things, ...records, ...wholes(made).things]
        return keep({ things }, () => inner.accounts.change(commands, signal))
      },
    },
  }
}

interface UnitChange {
  readonly unit: string
  readonly steps: readonly ServiceStep[]
  readonly signal: AbortSignal
}

/** One step after another, because what a step touches depends on those before. One that fails does not keep the others from being taken. */
async function changeUnit(work: Pick<Work, 'inner' | 'target' | 'keep'>, change: UnitChange): Promise<ApplyOutcome> {
  const { inner, keep } = work
  const failures: Failed[] = []
  for (const step of change.steps) {
    const intent = await intentOf(step, change, work)
    const outcome = await keep(intent, () => inner.services.change(change.unit, [step], change.signal))
    if (outcome.kind === 'failed') failures.push(outcome)
  }
  const [first, ...others] = failures
  if (first === undefined || others.length === 0) return first ?? { kind: 'done' }
  const output = failures.map((failure) => failure.output ?? '').join('')
  return { kind: 'failed', message: failures.map(({ message }) => message).join('; '), output }
}

/** Links are kept as they are on the disk, and what runs as the service manager says. */
async function intentOf(
  step: ServiceStep,
  { unit, signal }: UnitChange,
  { inner: { services }, target }: Pick<Work, 'inner' | 'target'>,
): Promise<Intent> {
  const touched = services.touches?.(unit, step)
  const links = touched?.kind === 'known' ? linksOf(target, touched.value).things : []
  if (services.linksAlone === true) return { things: links }
  if (step === 'start' || step === 'stop' || step === 'restart') {
    const companions = await target.services.companions(unit, [step], signal)
    const along = companions.kind === 'known' ? companions.value.map((each) => each.unit) : []
    // The last is undone first: what the others need runs before them.
    const things = [...new Set([...along, unit])].map((name) => ({ kind: 'running', name }) as const)
    return step === 'restart' ? { things, again: system(['systemctl', 'try-restart', '--', unit]) } : { things }
  }
  if (links.length === 0) return { things: [{ kind: 'service', name: unit }] }
  return { things: links, again: system(['systemctl', 'daemon-reload']) }
}

function undoOf({ argv, undo }: Command): Intent {
  switch (undo?.kind) {
    case 'again':
      return { again: undo.command, ...(undo.writes !== undefined && { ...wholes(undo.writes), unlessBack: true }) }
    case 'command':
      return { back: undo.command }
    case 'files':
      return wholes(undo.paths)
    case 'impossible':
      return { lost: undo.reason }
    case undefined:
      return { lost: `nothing says how ${argv[0]} is taken back` }
  }
}

/** A command of the system, which needs nothing of our surroundings. */
function system(argv: StoredCommand['argv']): StoredCommand {
  return { argv, workingDirectory: '/', environment: POLICY_ENVIRONMENT, timeoutMs: PATIENCE_MS }
}

interface PackageKeeping {
  readonly operations: PackageOperations
  readonly keep: Keep
}

function keepingPackages(manager: keyof PackageManagers, { operations, keep }: PackageKeeping): PackageOperations {
  const all: Intent = { things: [{ kind: 'packages', name: manager }] }
  return {
    install: (request) => keep(all, () => operations.install(request)),
    downgrade: (request) => keep(all, () => operations.downgrade(request)),
    remove: (ids, signal) => keep(all, () => operations.remove(ids, signal)),
    purge: (ids, signal) => keep(all, () => operations.purge(ids, signal)),
  }
}
