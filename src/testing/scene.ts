import { join } from 'node:path'
import { defined } from '../model/defined.ts'
import type { ResourceResult } from '../model/run.ts'
import { createTemporaryDirectories } from '../policy/fetch/temporary-directories.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { NO_JOURNAL } from '../host/live/journal.ts'
import { createLocalRemediator } from '../host/live/local-remediator.ts'
import { createLocalTarget } from '../host/live/local-target.ts'
import { openTarget } from '../host/open-target.ts'
import { moveBelow } from '../host/root/move-below.ts'
import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'
import { auditResource, fixResource, type Properties, type ResourceTestOptions } from './run-resource.ts'

/** The state of every path in a directory, including the directory, for comparison only. */
type Snapshot = ReadonlyMap<string, string>

/** A machine in a given state and a resource on it. Every rule starts with a fresh scene. */
export interface ContractScene {
  /** Name of the scene in test names. */
  readonly title: string
  /** Prepares an empty directory, which is removed afterwards, and returns the properties of the resource. */
  readonly arrange: (directory: string) => Properties | Promise<Properties>
  /**
   * The state of the resource: `compliant`, `fixable` (drifted, can be fixed), `unfixable` (drifted, the type reports
   * that it cannot fix it) or `not-applicable`.
   */
  readonly state: 'compliant' | 'fixable' | 'unfixable' | 'not-applicable'
  /** True if a test cannot run the fix, because it would change more than the directory. */
  readonly auditOnly?: boolean
  /** The machine; this one by default. Created for each run, as a scan does. */
  readonly target?: (directory: string) => Target
  /** The remediator of a fix; changes this machine by default. */
  readonly remediator?: (directory: string) => Remediator
  /** The provider, as in a policy. */
  readonly provider?: string
}

/** A scene that is set up. */
export interface Stage {
  readonly type: ResourceType
  readonly scene: ContractScene
  readonly properties: Properties
  readonly directory: string
  readonly target: () => Target
  readonly remediator: () => Remediator
  readonly audit: (target?: Target) => Promise<ResourceResult>
  /** Audits the resource with some properties replaced. */
  readonly auditWith: (otherwise: Properties) => Promise<ResourceResult>
  readonly fix: (remediator?: Remediator) => Promise<ResourceResult>
  /** Audits the same scene below a root directory and on this machine, while this machine does not have it. */
  readonly belowRoot: () => Promise<{ readonly there: ResourceResult; readonly here: ResourceResult }>
  /** The paths in the directory that `work` changes. */
  readonly changesOf: (work: () => Promise<unknown>) => Promise<readonly string[]>
}

/** Sets up a scene in a fresh directory, which is removed after `use`. */
export async function onStage<Result>(
  type: ResourceType,
  scene: ContractScene,
  use: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const directories = createTemporaryDirectories()
  try {
    const directory = directories.create()
    const properties = await scene.arrange(directory)
    const target = (): Target => scene.target?.(directory) ?? createLocalTarget()
    const remediator = (): Remediator => scene.remediator?.(directory) ?? createLocalRemediator(NO_JOURNAL)
    const options: ResourceTestOptions = {
      workingDirectory: directory,
      ...defined({ provider: scene.provider }),
    }
    const audit = (machine = target()): Promise<ResourceResult> =>
      auditResource(type, properties, { ...options, target: machine })
    return await use({
      type,
      scene,
      properties,
      directory,
      target,
      remediator,
      audit,
      auditWith: (otherwise) => auditResource(type, { ...properties, ...otherwise }, { ...options, target: target() }),
      fix: (hands = remediator()) => fixResource(type, properties, { ...options, target: target(), remediator: hands }),
      async belowRoot() {
        const root = directories.create()
        const giveBack = moveBelow(root, directory)
        try {
          return { there: await audit(await openTarget(`root:${root}`)), here: await audit(createLocalTarget()) }
        } finally {
          giveBack()
        }
      },
      async changesOf(work) {
        const before = await takeSnapshot(createLocalTarget(), directory)
        await work()
        return changedPaths(before, await takeSnapshot(createLocalTarget(), directory))
      },
    })
  } finally {
    await directories.remove()
  }
}

/**
 * Snapshot of a directory. It reveals every write, even one that is reverted, because the change time of an inode
 * cannot be set. Reads do not show.
 */
async function takeSnapshot(target: Target, directory: string): Promise<Snapshot> {
  const tree = target.files.listTree(directory)
  if (tree.kind === 'unknown') throw new Error(`cannot compare the directory of a scene: ${tree.detail}`)
  const snapshot = new Map<string, string>()
  for (const path of ['', ...tree.value.map((entry) => entry.path)]) {
    const full = join(directory, path)
    const seen = target.files.lstat(full)
    if (seen.kind !== 'present') continue
    const digest = seen.state.kind === 'file' ? await target.files.digest(full, seen.state) : undefined
    snapshot.set(path, JSON.stringify([seen.state, digest]))
  }
  return snapshot
}

/** The paths that differ between two snapshots. */
function changedPaths(before: Snapshot, after: Snapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).map((path) => (path === '' ? '.' : path))
}
