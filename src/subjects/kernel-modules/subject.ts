import { keptPaths } from '../../host/keeping.ts'
import type { MachineFiles } from '../../host/live/machine-files.ts'
import { readingOf, type MachineReading } from '../../host/live/machine-reading.ts'
import { readRealPath } from '../../host/live/tree-reader.ts'
import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import { once } from '../../host/once.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { KernelBuild, KernelBuilds } from './kernel-builds.ts'
import type { KernelModuleControl, KernelModules, ModuleStatus, SignatureCheck, ModulePlace } from './kernel-modules.ts'
import { configurationOf, readConfiguration } from './live/configuration.ts'
import { createModuleControl } from './live/control.ts'
import { openKernelBuilds, readInstalledBuilds } from './live/kernel-builds.ts'
import { openModuleTree } from './live/module-tree.ts'
import { openKernelModules, findPlace } from './live/modules.ts'

/** Kernel modules: modprobe.d(5) as kmod 30 reads it, and /sys/module. */
export const KERNEL_MODULES: ReadableSubject<KernelModules> & WritableSubject<KernelModuleControl> = {
  name: 'kernel-modules',
  read: {
    live: ({ probe }) => openKernelModules({ probe, realPath: readRealPath }),
    atRest({ startFiles }) {
      const machine = readingOf(startFiles)
      let status = openModulesAtRest(machine)
      return {
        signatures: () => needsRunningSystem('the kernel'),
        status: (name) => status(name),
        forget() {
          status = openModulesAtRest(machine)
        },
      }
    },
    answering: (modules, { now }) => ({
      status: (name) => now('kernelModules', () => modules.status(name), NO_MODULE),
      signatures: () => now('kernelModules', () => modules.signatures(), NO_SIGNATURES),
    }),
  },
  write: {
    live: (journal) => createModuleControl(journal),
    atRest: () => ({ change: refusedAtRest('kernel modules') }),
    keeping: (modules, { target, keep }) => ({
      change(name, steps, signal) {
        const status = target.open(KERNEL_MODULES).status(name)
        const configuration = status.kind === 'known' ? status.value.configuration : status
        const own = configuration.kind === 'known' ? [configuration.value.own.path] : []
        return keep({ things: [...keptPaths(own).things, { kind: 'module', name }] }, () =>
          modules.change(name, steps, signal),
        )
      },
    }),
  },
}

export const KERNEL_BUILDS: ReadableSubject<KernelBuilds> = {
  name: 'kernel-builds',
  read: {
    live: () => openKernelBuilds(),
    atRest({ startFiles }) {
      let installed = once(() => readBuildsAtRest(startFiles))
      return {
        running: async () => needsRunningSystem('the running kernel'),
        installed: () => installed(),
        forget() {
          installed = once(() => readBuildsAtRest(startFiles))
        },
      }
    },
    answering: (builds, { read }) => ({
      running: async () => read('kernelBuilds', () => builds.running(), NO_OPTIONS),
      installed: async () => read('kernelBuilds', () => builds.installed(), []),
      forget: () => builds.forget(),
    }),
  },
}

/** A kernel without the module and without configuration for it. */
const NO_MODULE: ModuleStatus = {
  presence: known({ kind: 'not-loaded' }),
  place: known('absent'),
  configuration: known({ install: [], blacklist: [], aliases: [], masked: [], own: { path: '', state: 'none' } }),
  isLocked: known(false),
  isRefused: known(false),
}

const NO_SIGNATURES: SignatureCheck = { isEnforced: known(null), lockdown: known(null), isLocked: known(false) }

/** A kernel without any option set. */
export const NO_OPTIONS: KernelBuild = { release: '', file: '/proc/config.gz', options: new Map() }

/** Any installed kernel may boot next, so a reading must hold for all of them. */
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
      presence:
        found.kind === 'known' && found.value === 'built-in'
          ? known({ kind: 'built-in' })
          : needsRunningSystem('the kernel'),
      place: found,
      configuration: read.kind === 'unknown' ? read : known(configurationOf(name, read.value)),
      isLocked: needsRunningSystem('the kernel'),
      isRefused: needsRunningSystem('the kernel'),
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
      return unknown('not-observable', `the kernels below /lib/modules differ: for ${release} it is ${found.value}`)
    }
    agreed = found.value
  }
  return agreed === undefined ? noKernel() : known(agreed)
}

/** The build options of every installed kernel. */
async function readBuildsAtRest(files: MachineFiles): ReturnType<KernelBuilds['installed']> {
  const builds = await readInstalledBuilds(files)
  return builds.kind === 'known' && builds.value.length === 0 ? noKernel() : builds
}

/** Without this, a check of no kernel at all would pass for every container. */
function noKernel(): Reading<never> {
  return unknown('not-observable', 'no kernel is installed below the target')
}
