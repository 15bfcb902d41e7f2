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
import { changedPaths, takeSnapshot } from './snapshot.ts'

/** A machine in some state, and a resource on it. Every rule starts with a scene of its own. */
export interface ContractScene {
  /** What the scene shows, for the name of its tests. */
  readonly title: string
  /** Prepares an empty directory, which is removed afterwards, and returns the properties of the resource. */
  readonly arrange: (directory: string) => Properties | Promise<Properties>
  /**
   * What the resource is: `compliant`; `fixable`, which drifts and can be repaired; `unfixable`, which drifts and cannot
   * be, as the type itself says; or `not-applicable`.
   */
  readonly state: 'compliant' | 'fixable' | 'unfixable' | 'not-applicable'
  /** Set where a fix cannot be tried in a test, because it would change more than the directory. */
  readonly auditOnly?: boolean
  /** The machine; this one where it is absent. Made once for each look, as a run does it. */
  readonly target?: (directory: string) => Target
  /** What a fix works with; it changes this machine where it is absent. */
  readonly remediator?: (directory: string) => Remediator
  /** The provider, as a policy names it. */
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
  /** An audit of the resource with some properties otherwise. */
  readonly auditWith: (otherwise: Properties) => Promise<ResourceResult>
  readonly fix: (remediator?: Remediator) => Promise<ResourceResult>
  /** What an audit says of the same below a root directory, and what one of this machine says, where the scene is not meanwhile. */
  readonly belowRoot: () => Promise<{ readonly there: ResourceResult; readonly here: ResourceResult }>
  /** The paths in the directory that a piece of work changes. */
  readonly changesOf: (work: () => Promise<unknown>) => Promise<readonly string[]>
}

/** Sets up a scene in a fresh directory for as long as `use` takes. */
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
