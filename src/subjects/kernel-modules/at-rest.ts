import { known, type Reading, unknown } from '../../model/observation.ts'
import type { MachineFiles } from '../../host/live/machine-files.ts'
import type { MachineReading } from '../../host/live/machine-reading.ts'
import { needsRunningSystem } from '../../host/offline.ts'
import { once } from '../../host/once.ts'
import type { KernelBuilds } from './kernel-builds.ts'
import type { KernelModules, ModulePlace } from './kernel-modules.ts'
import { configurationOf, readConfiguration } from './live/configuration.ts'
import { readInstalledBuilds } from './live/kernel-builds.ts'
import { openModuleTree } from './live/module-tree.ts'
import { findPlace } from './live/modules.ts'

/** Any installed kernel may boot next, so a reading must hold for all of them. */
export function openModulesAtRest(machine: MachineReading): KernelModules['status'] {
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
export async function readBuildsAtRest(files: MachineFiles): ReturnType<KernelBuilds['installed']> {
  const builds = await readInstalledBuilds(files)
  return builds.kind === 'known' && builds.value.length === 0 ? noKernel() : builds
}

/** Without this, a check of no kernel at all would pass for every container. */
function noKernel(): Reading<never> {
  return unknown('not-observable', 'no kernel is installed below the target')
}
