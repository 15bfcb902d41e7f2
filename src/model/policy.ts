import type { ExportRead } from './exported.ts'
import type { ErrorReason } from './observation.ts'
import type { Position } from './problem.ts'
import type { Registration } from './registration.ts'
import type { Severity } from './verdict.ts'

/** A requirement that one or more resources support. */
export interface Control {
  readonly id: string
  readonly title?: string
  readonly severity: Severity
  readonly description?: string
  readonly remediation?: string
  /** Identifiers in public catalogues, by catalogue: `{ "cis-debian-12": ["6.1.2"] }`. */
  readonly references: Readonly<Record<string, readonly string[]>>
  readonly tags: readonly string[]
  /** A person has to look: what resources say is not all of it, and there may be none. */
  readonly manual?: true
  /** The ids of the resources that support it, resolved to `type#name` or, where several share it, `type#alias`. */
  readonly resources: readonly string[]
}

/** A check that the managed thing also works: a command with the exit codes of Nagios plugins, or rules of Goss. */
export type HealthCheck = CommandCheck | RulesCheck

/** A check by a command with the exit codes of Nagios plugins. */
interface CommandCheck extends Trying {
  readonly argv: readonly [program: string, ...args: string[]]
}

/** A check by rules of Goss, as they are written. */
interface RulesCheck extends Trying {
  readonly rules: unknown
}

interface Trying {
  readonly name: string
  /** How often it is tried, the first time included, until it is OK. */
  readonly tries: number
  /** Between two tries, in milliseconds. */
  readonly pauseMs: number
  /** For each try, in milliseconds. */
  readonly timeoutMs: number
}

/** One declared resource as written, its templates not yet expanded. */
export interface Declaration {
  readonly type: string
  readonly name: string
  readonly alias?: string
  /** `type#name`; `type#alias` where several resources share type and name. */
  readonly id: string
  /** The type's own property values, aliases of property names resolved, `name` and `ensure` among them. */
  readonly properties: Readonly<Record<string, unknown>>
  /** The same decoded, checked and with defaults, where nothing in them is left to be expanded. */
  readonly settled?: Readonly<Record<string, unknown>>
  readonly provider?: string
  /** Ids of earlier resources that must not have failed. */
  readonly require: readonly string[]
  /** Ids of earlier resources whose changes this one reacts to. */
  readonly subscribe: readonly string[]
  readonly control?: { readonly if?: string; readonly unless?: string }
  /** The values of earlier resources that its condition and its templates read; absent where they read none. */
  readonly reads?: readonly ExportRead[]
  readonly sensitive: boolean
  /** Where all of it comes from that was rendered from a template; absent where that is nothing of these. */
  readonly madeOf?: ReadonlySet<Origin>
  /** In the order they are run; absent if missing. */
  readonly healthChecks?: readonly HealthCheck[]
  /** What it is registered as once a fix has proved it; absent where it is not. */
  readonly registrations?: readonly Registration[]
  readonly position: Position
}

/** Where a value comes from, where that decides who may see what is made of it. */
export type Origin = 'secret' | 'environment' | 'file'

/** What an apply resource stands for, as it was settled when its policy was loaded. */
export type Child<Below = Policy> =
  | {
      readonly kind: 'loaded'
      readonly policy: Below
      /** Its resources are only audited, in a fix too. */
      readonly noop: boolean
      /** Only the health checks of its resources are run. */
      readonly healthCheckOnly: boolean
    }
  /** `control` rules it out, so it was never read. */
  | { readonly kind: 'ruled-out'; readonly because: string }
  /** Its condition or one of its values could not be evaluated, so it was never read. */
  | { readonly kind: 'failed'; readonly reason: ErrorReason; readonly errors: readonly string[] }

/** A policy as read: checked, references resolved, nothing evaluated yet. */
export interface Policy {
  /** `policy.id`, by default the file name without its extension. */
  readonly id: string
  readonly title?: string
  readonly version?: string
  readonly description?: string
  /** The file as the operator named it; `-` for standard input. */
  readonly source: string
  /** sha256 of the file's bytes, lower-case hex. */
  readonly sha256: string
  /** The absolute directory that relative paths in the policy start from. */
  readonly workingDirectory: string
  readonly failOnError: boolean
  readonly preMessage?: string
  readonly postMessage?: string
  readonly controls: readonly Control[]
  readonly resources: readonly Declaration[]
  /** What its apply resources stand for, by their ids; absent if missing. */
  readonly children?: ReadonlyMap<string, Child>
  /** Texts that must never be shown: data marked `@sensitive`. */
  readonly secrets?: readonly string[]
  /** What is worth saying once, such as a property that is accepted but has no effect here. */
  readonly notes: readonly string[]
}

/** A policy, or one with more to it, that may stand above others like it. */
interface Parent<Below> {
  readonly children?: ReadonlyMap<string, Child<Below>>
}

/** Policies, each followed by the policies that its apply resources stand for. */
export function withChildren<Each extends Parent<Each>>(policies: readonly Each[]): readonly Each[] {
  return policies.flatMap((policy) => [policy, ...withChildren(childrenOf(policy))])
}

function childrenOf<Below>({ children }: Parent<Below>): readonly Below[] {
  if (children === undefined) return []
  return [...children.values()].flatMap((child) => (child.kind === 'loaded' ? [child.policy] : []))
}
