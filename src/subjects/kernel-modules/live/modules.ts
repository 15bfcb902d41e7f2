import { once } from '../../../host/once.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { known, mapReading, type Reading, unknown } from '../../../model/observation.ts'
import type { KernelModules, ModulePlace, ModulePresence } from '../kernel-modules.ts'
import { configurationOf, type ModprobeConfiguration, readConfiguration } from './configuration.ts'
import { type ModuleTree, openModuleTree } from './module-tree.ts'
import { type ModulesPlace, THIS_MACHINE } from './place.ts'

export interface ModulesReader {
  readonly probe: SystemProbe
  readonly realPath: (path: string) => Reading<string | null>
  readonly place?: ModulesPlace
}

/** Opens the modules of a host. Bulk reads are cached until `forget`. */
export function openKernelModules(reader: ModulesReader): KernelModules & { readonly forget: () => void } {
  const { probe, place = THIS_MACHINE } = reader
  const open = () => ({
    tree: openModuleTree(probe, place),
    configuration: once(() => readConfiguration({ ...reader, place })),
    loaded: once(() => readLoaded(probe, place)),
    directories: once(() => notEmpty(probe.list(`${place.root}/sys/module`))),
    isLocked: once(() => readLock(probe, place)),
    refused: once(() => readRefused(probe, place)),
  })
  let kept = open()
  return {
    signatures: () =>
      known({
        isEnforced: readEnforced(probe, place.root),
        lockdown: readLockdown(probe, place.root),
        isLocked: kept.isLocked(),
      }),
    status(written) {
      const name = written.replaceAll('-', '_')
      const { tree, loaded, directories, isLocked } = kept
      const configuration = kept.configuration()
      const found = findPlace(name, tree, configuration)
      const seen = presenceOf(name, { probe, place, loaded: loaded(), directories: directories() })
      return known({
        presence: withPlace(seen, found),
        // A directory without a state belongs to a built-in module, even if the tree disagrees.
        place: seen.kind === 'known' && seen.value.kind === 'built-in' ? known<ModulePlace>('built-in') : found,
        configuration:
          configuration.kind === 'unknown' ? configuration : known(configurationOf(name, configuration.value)),
        isLocked: isLocked(),
        isRefused: mapReading(kept.refused(), (names) => names.includes(name)),
      })
    },
    forget() {
      kept = open()
    },
  }
}

/** Looks up a name in a tree; an alias of another module is unknown. */
export function findPlace(
  name: string,
  tree: ModuleTree,
  configuration: Reading<ModprobeConfiguration>,
): Reading<ModulePlace> {
  const found = tree.find(name)
  if (found.kind === 'unknown' || found.value !== 'absent') return found
  if (configuration.kind === 'unknown') return configuration
  const [configured] = configurationOf(name, configuration.value).aliases
  const alias = configured === undefined ? tree.aliasOf(name) : known(configured.module)
  if (alias.kind === 'unknown') return alias
  return alias.value === null ? found : unknown('invalid', `${name} is an alias; name the module ${alias.value}`)
}

/** A built-in module without parameters appears only in the tree. */
function withPlace(seen: Reading<ModulePresence>, place: Reading<ModulePlace>): Reading<ModulePresence> {
  if (seen.kind === 'unknown' || seen.value.kind !== 'not-loaded') return seen
  if (place.kind === 'unknown') return place
  return place.value === 'built-in' ? known({ kind: 'built-in' }) : seen
}

type Loaded = Extract<ModulePresence, { kind: 'loaded' }>

interface Witnesses {
  readonly probe: SystemProbe
  readonly place: ModulesPlace
  readonly loaded: Reading<ReadonlyMap<string, Loaded> | null>
  readonly directories: Reading<readonly string[] | null>
}

/** One source proves that a module is loaded; absence needs all existing sources, and at least one. */
function presenceOf(name: string, { probe, place, loaded, directories }: Witnesses): Reading<ModulePresence> {
  const listed = loaded.kind === 'known' ? loaded.value?.get(name) : undefined
  if (listed !== undefined) return known(listed)
  if (directories.kind === 'known' && directories.value?.includes(name) === true) {
    return readDirectory(probe, `${place.root}/sys/module/${name}`)
  }
  if (loaded.kind === 'unknown') return loaded
  if (directories.kind === 'unknown') return directories
  if (loaded.value !== null || directories.value !== null) return known({ kind: 'not-loaded' })
  return unknown('not-observable', 'neither /proc/modules nor /sys/module lists the loaded modules')
}

function readDirectory(probe: SystemProbe, path: string): Reading<ModulePresence> {
  const state = probe.readText(`${path}/initstate`)
  if (state.kind === 'unknown') return state
  if (state.value === null) return known({ kind: 'built-in' })
  const references = probe.readText(`${path}/refcnt`)
  const holders = probe.list(`${path}/holders`)
  return known({
    kind: 'loaded',
    references: references.kind === 'known' && references.value !== null ? Number(references.value) : undefined,
    holders: holders.kind === 'known' ? (holders.value ?? []) : [],
  })
}

/** Containers mount an empty file over a hidden one. */
function readLoaded(probe: SystemProbe, { root }: ModulesPlace): Reading<ReadonlyMap<string, Loaded> | null> {
  const text = probe.readText(`${root}/proc/modules`)
  if (text.kind === 'unknown') return text
  if (text.value === null || text.value.trim() === '') return known(null)
  return known(new Map(text.value.trim().split('\n').map(parseLoaded)))
}

/** `nf_nat 49152 2 xt_nat,nft_chain_nat, Live 0x0000000000000000` */
function parseLoaded(line: string): [name: string, module: Loaded] {
  const [name = '', , references = '', holders = ''] = line.split(' ')
  const count = /^\d+$/.test(references) ? Number(references) : undefined
  return [
    name,
    { kind: 'loaded', references: count, holders: holders.split(',').filter((holder) => !['', '-'].includes(holder)) },
  ]
}

function readLock(probe: SystemProbe, { root }: ModulesPlace): Reading<boolean> {
  return mapReading(probe.readText(`${root}/proc/sys/kernel/modules_disabled`), (text) => text?.trim() === '1')
}

/** The last argument wins, and its names are compared exactly. @see kernel/module/main.c, blacklisted */
function readRefused(probe: SystemProbe, { root }: ModulesPlace): Reading<readonly string[]> {
  const text = probe.readText(`${root}/proc/cmdline`)
  if (text.kind === 'unknown') return text
  if (text.value === null)
    return unknown('not-observable', '/proc/cmdline does not exist: the command line of the running kernel is unknown')
  const given = [...text.value.matchAll(/(?:^|\s)"?module[_-]blacklist="?([^\s"]*)/g)]
  return known(given.at(-1)?.[1]?.split(',') ?? [])
}

function notEmpty(names: Reading<readonly string[] | null>): Reading<readonly string[] | null> {
  return names.kind === 'known' && names.value?.length === 0 ? known(null) : names
}

/**
 * Reads `module.sig_enforce`. A kernel without it still has parameters of other modules. @see kernel/module/signing.c
 */
function readEnforced(probe: SystemProbe, root: string): Reading<boolean | null> {
  const path = `${root}/sys/module/module/parameters/sig_enforce`
  const text = probe.readText(path)
  if (text.kind === 'unknown') return text
  if (text.value !== null) {
    const isEnforced = { Y: true, N: false }[text.value.trim()]
    return isEnforced === undefined ? unknown('invalid', `${path} is neither Y nor N`) : known(isEnforced)
  }
  const modules = probe.list(`${root}/sys/module`)
  if (modules.kind === 'unknown') return modules
  if (modules.value !== null && modules.value.length > 0) return known(null)
  return unknown('not-observable', `${root}/sys/module is not accessible`)
}

/** Reads the lockdown mode, in brackets in the file. @see kernel_lockdown(7), security/lockdown/lockdown.c */
function readLockdown(probe: SystemProbe, root: string): Reading<string | null> {
  const directory = `${root}/sys/kernel/security`
  const text = probe.readText(`${directory}/lockdown`)
  if (text.kind === 'unknown') return text
  if (text.value !== null) {
    const level = /\[(\w+)\]/.exec(text.value)?.[1]
    return level === undefined ? unknown('invalid', `${directory}/lockdown marks no level`) : known(level)
  }
  const active = probe.readText(`${directory}/lsm`)
  if (active.kind === 'unknown') return active
  if (active.value !== null && !active.value.trim().split(',').includes('lockdown')) return known(null)
  return unknown('not-observable', `${directory} does not show the lockdown state: mount securityfs`)
}
