import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ApplyOutcome, type Decision, FIRST_LOOK } from '../../../src/model/decision.ts'
import type { Drift } from '../../../src/model/drift.ts'
import type { Unknown } from '../../../src/model/observation.ts'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import type { Examination, ResourceContext } from '../../../src/resource-type/define.ts'
import { scaffold } from '../../../src/subjects/scaffolds/index.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'

/** Files by path; a path that ends in a slash is a directory. */
export type Tree = Readonly<Record<string, string>>

/** A directory of its own with templates in `source` and a place for the scaffold in `target`. */
export interface Scene {
  readonly root: string
  readonly target: string
  readonly examine: (values?: Values, changes?: Partial<ResourceContext>) => Promise<Examination>
  /** The decision of an audit; fails where nothing could be decided. */
  readonly audit: (values?: Values, changes?: Partial<ResourceContext>) => Promise<Decision<unknown>>
  readonly undecided: (values?: Values, changes?: Partial<ResourceContext>) => Promise<Unknown>
  /** Applies the planned action, then audits again. */
  readonly fix: (values?: Values, changes?: Partial<ResourceContext>) => Promise<Fixed>
  /** Puts files below the scene's directory. */
  readonly put: (tree: Tree) => void
  /** Everything in the target, by relative path: the content of files, nothing for directories. */
  readonly read: () => Readonly<Record<string, string>>
}

type Values = Readonly<Record<string, unknown>>

interface Fixed {
  readonly outcome: ApplyOutcome
  readonly before: Decision<unknown>
  readonly after: Decision<unknown>
}

/** Makes a scene that is removed at the end of the test. */
export function createScene(source: Tree = {}, target?: Tree): Scene {
  const root = mkdtempSync(join(tmpdir(), 'driftgate-scaffold-'))
  chmodSync(root, 0o755)
  onTestFinished(() => rmSync(root, { recursive: true }))
  const place = join(root, 'target')
  const scene: Scene = {
    root,
    target: place,
    async examine(values = {}, changes = {}) {
      const given = { name: place, ensure: 'present', source: 'source', ...values }
      const decoded = decodeProperties(scaffold, given)
      if (!decoded.ok) throw new Error(decoded.violations.map(({ message }) => message).join('; '))
      const context = { workingDirectory: root, signal: new AbortController().signal, showDiff: true, ...changes }
      return scaffold.prepare(decoded.values, 'choria', context).examine(createLocalTarget(), FIRST_LOOK)
    },
    async audit(...args) {
      const examination = await scene.examine(...args)
      if (examination.kind !== 'decided') throw new Error(`undecided: ${examination.detail}`)
      return examination.decision
    },
    async undecided(...args) {
      const examination = await scene.examine(...args)
      if (examination.kind !== 'unknown') throw new Error(`decided: ${JSON.stringify(examination)}`)
      return examination
    },
    async fix(...args) {
      const examination = await scene.examine(...args)
      if (examination.kind !== 'decided') throw new Error(`undecided: ${examination.detail}`)
      const outcome = await examination.apply(createLocalRemediator(NO_JOURNAL))
      return { outcome, before: examination.decision, after: await scene.audit(...args) }
    },
    put: (tree) => writeTree(root, tree),
    read: () => Object.fromEntries(readTree(place, '')),
  }
  mkdirSync(join(root, 'source'))
  writeTree(join(root, 'source'), source)
  if (target !== undefined) {
    mkdirSync(place)
    writeTree(place, target)
  }
  return scene
}

function writeTree(root: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const full = join(root, path)
    mkdirSync(path.endsWith('/') ? full : dirname(full), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(full, content)
  }
}

function readTree(directory: string, prefix: string): [string, string][] {
  return readdirSync(directory)
    .toSorted()
    .flatMap((name): [string, string][] => {
      const stats = lstatSync(join(directory, name))
      if (stats.isSymbolicLink()) return [[prefix + name, '(link)']]
      if (!stats.isDirectory()) return [[prefix + name, readFileSync(join(directory, name), 'utf8')]]
      return [[`${prefix}${name}/`, ''], ...readTree(join(directory, name), `${prefix}${name}/`)]
    })
}

/** What a drift says, in a few words: `missing a`, `content b`, `unexpected c`. */
export function driftWords({ drift }: Decision<unknown>): readonly string[] {
  return drift.map(({ property, path = '', desired }: Drift) => {
    if (property === 'content') return `content ${path}`
    return `${desired === 'absent' ? 'unexpected' : 'missing'} ${path}`
  })
}

/** What a fix would do, as an audit says it. */
export function planText({ plan }: Decision<unknown>): string {
  return plan.kind === 'act' ? plan.text : plan.kind
}

/** Why a fix would not do it. */
export function obstacles({ plan }: Decision<unknown>): readonly string[] {
  return plan.kind === 'none' ? [] : plan.obstacles.map(({ reason }) => reason)
}
