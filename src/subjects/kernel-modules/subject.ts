import { keptPaths } from '../../host/keeping.ts'
import { readingOf } from '../../host/live/machine-reading.ts'
import { readRealPath } from '../../host/live/tree-reader.ts'
import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import { once } from '../../host/once.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { known } from '../../model/observation.ts'
import { openModulesAtRest, readBuildsAtRest } from './at-rest.ts'
import type { KernelBuild, KernelBuilds } from './kernel-builds.ts'
import type { KernelModuleControl, KernelModules, ModuleStatus, SignatureCheck } from './kernel-modules.ts'
import { createModuleControl } from './live/control.ts'
import { openKernelBuilds } from './live/kernel-builds.ts'
import { openKernelModules } from './live/modules.ts'

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
