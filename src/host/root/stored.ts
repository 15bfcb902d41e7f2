import { known, type Reading, unknown } from '../../model/observation.ts'
import type { KernelModules, ModulePlace } from '../../subjects/kernel-modules/kernel-modules.ts'
import type { Mounts } from '../../subjects/mounts/mounts.ts'
import type { SystemProbe } from '../probe.ts'
import type { Target } from '../target.ts'
import { openAuditOf } from '../../subjects/auditd/live/audit.ts'
import type { AccountIds } from '../../subjects/auditd/live/resolve.ts'
import { readInstalledBuilds } from '../../subjects/kernel-modules/live/kernel-builds.ts'
import { configurationOf, readConfiguration } from '../../subjects/kernel-modules/live/configuration.ts'
import { once, openModuleTree } from '../../subjects/kernel-modules/live/module-tree.ts'
import { findPlace } from '../../subjects/kernel-modules/live/modules.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import { type MachineReading, readingOf } from '../live/machine-reading.ts'
import { openStoredMounts } from '../../subjects/mounts/live/stored.ts'
import { readStoredSysctl } from '../../subjects/sysctl/stored.ts'
import { THIS_MACHINE } from '../systemd/place.ts'
import { NOTHING_RUNS, notRead, only } from './nothing-runs.ts'

/** What of a system at rest is needed. */
export interface RestReader extends AccountIds {
  /** Its files as a start finds them. */
  readonly files: MachineFiles
  readonly probe: SystemProbe
}

/** What a start does, and what it has for that, of a system that does not run: all by its files, nothing of the kernel. */
export type StoredHalves = Pick<
  Target,
  'parameters' | 'mounts' | 'kernelModules' | 'kernelBuilds' | 'audit' | 'firewall' | 'forget'
>

/** Reads nothing before it is asked, and everything once until `forget`. */
export function openStoredHalves(reader: RestReader): StoredHalves {
  const machine = readingOf(reader.files)
  const open = () => ({
    parameters: once(() => readStoredSysctl(machine)),
    mounts: openMountsAtRest(reader.files, machine),
    modules: openModulesAtRest(machine),
    builds: once(async () => readBuilds(reader.files)),
  })
  let kept = open()
  const audit = openAuditOf({
    ...reader,
    files: machine,
    kernel: async () => only('the audit rules of the kernel'),
    canCompile: () => AUGENRULES.some((path) => machine.stat(path).kind === 'present'),
  })
  return {
    parameters: { ...NOTHING_RUNS.parameters, stored: () => kept.parameters() },
    mounts: { ...NOTHING_RUNS.mounts, stored: (path) => kept.mounts(path) },
    kernelModules: { ...NOTHING_RUNS.kernelModules, status: (name) => kept.modules(name) },
    kernelBuilds: { ...NOTHING_RUNS.kernelBuilds, installed: () => kept.builds() },
    audit,
    firewall: {
      ...NOTHING_RUNS.firewall,
      async stored(manager) {
        const { readStored } = await import('../../subjects/firewall/live/stored.ts')
        // nft would have to be run, and includes what it finds on this machine.
        return readStored(manager, machine, async (file) => notRead(`what nft makes of ${file}`))
      },
    },
    forget() {
      kept = open()
      audit.forget()
    },
  }
}

const AUGENRULES = ['/usr/sbin/augenrules', '/sbin/augenrules']

/** Where boot arguments are written that a start of the system will have. */
const ARGUMENTS = ['/etc/default/grub', '/etc/kernel/cmdline', '/boot/grub/grub.cfg', '/boot/grub2/grub.cfg']
const ENTRIES = ['/boot/loader/entries', '/efi/loader/entries', '/boot/efi/loader/entries']

function openMountsAtRest(files: MachineFiles, machine: MachineReading): Mounts['stored'] {
  const stored = openStoredMounts({ root: '', systemd: { ...THIS_MACHINE, files } }, () => commandLineAtRest(machine))
  return (path) => stored.find(path)
}

/** What the next start is told of mounts; whichever entry it takes, mostly that is nothing. */
function commandLineAtRest(machine: MachineReading): Reading<string> {
  const entries: string[] = []
  for (const directory of ENTRIES) {
    const names = machine.list(directory)
    if (names.kind === 'unknown') return names
    entries.push(...(names.value ?? []).map((name) => `${directory}/${name}`))
  }
  for (const file of [...ARGUMENTS, ...entries]) {
    const text = machine.readText(file)
    if (text.kind === 'unknown') return text
    if (!/\b(?:fstab|systemd\.mount-extra)=/.test(text.value ?? '')) continue
    return unknown('not-observable', `${file} has a boot argument that changes what is mounted`)
  }
  return known('')
}

/** Every kernel that is installed may be the next one, so what they have to have is said of all of them. */
function openModulesAtRest(machine: MachineReading): KernelModules['status'] {
  const configuration = once(() =>
    readConfiguration({ probe: machine, realPath: (path) => machine.realPath(path), place: { root: '' } }),
  )
  const trees = once(() => openTrees(machine))
  return (written) => {
    const name = written.replaceAll('-', '_')
    const read = configuration()
    const opened = trees()
    const found = opened.kind === 'unknown' ? opened : agreedPlace(opened.value, (tree) => findPlace(name, tree, read))
    return known({
      presence: found.kind === 'known' && found.value === 'built-in' ? known({ kind: 'built-in' }) : only('the kernel'),
      place: found,
      configuration: read.kind === 'unknown' ? read : known(configurationOf(name, read.value)),
      isLocked: only('the kernel'),
      isRefused: only('the kernel'),
    })
  }
}

interface KernelTree {
  readonly release: string
  readonly tree: ReturnType<typeof openModuleTree>
}

const SIGNS = ['modules.dep', 'modules.builtin', 'kernel', 'vmlinuz']

function openTrees(machine: MachineReading): Reading<readonly KernelTree[]> {
  const names = machine.list('/lib/modules')
  if (names.kind === 'unknown') return names
  const trees = (names.value ?? [])
    .filter((release) => SIGNS.some((sign) => machine.stat(`/lib/modules/${release}/${sign}`).kind !== 'absent'))
    .map((release) => ({ release, tree: openModuleTree(machine, { root: '', release }) }))
  return trees.length === 0 ? noKernel() : known(trees)
}

function agreedPlace(
  trees: readonly KernelTree[],
  find: (tree: KernelTree['tree']) => Reading<ModulePlace>,
): Reading<ModulePlace> {
  let agreed: ModulePlace | undefined
  for (const { release, tree } of trees) {
    const found = find(tree)
    if (found.kind === 'unknown') return found
    if (agreed !== undefined && agreed !== found.value) {
      return unknown('not-observable', `the kernels below /lib/modules differ: to ${release} it is ${found.value}`)
    }
    agreed = found.value
  }
  return agreed === undefined ? noKernel() : known(agreed)
}

async function readBuilds(files: MachineFiles): ReturnType<Target['kernelBuilds']['installed']> {
  const builds = await readInstalledBuilds(files)
  return builds.kind === 'known' && builds.value.length === 0 ? noKernel() : builds
}

/** What is vouched for of no kernel at all would be vouched for of every container. */
function noKernel(): Reading<never> {
  return unknown('not-observable', 'no kernel is installed below the target')
}
