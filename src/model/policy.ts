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
  /** Needs manual review: resources cover a part of the requirement or none of it. */
  readonly manual?: true
  /** Ids of the resources that support it: `type#name`, or `type#alias` if several share the name. */
  readonly resources: readonly string[]
}

/** A check that the managed resource works: a command with the exit codes of Nagios plugins, or Goss rules. */
export type HealthCheck = CommandCheck | RulesCheck

/** A check by a command with the exit codes of Nagios plugins. */
interface CommandCheck extends Trying {
  readonly argv: readonly [program: string, ...args: string[]]
}

/** A check by Goss rules, as written. */
interface RulesCheck extends Trying {
  readonly rules: unknown
}

interface Trying {
  readonly name: string
  /** Maximum number of attempts until it is OK, including the first. */
  readonly tries: number
  /** Pause between attempts, in milliseconds. */
  readonly pauseMs: number
  /** Timeout of each attempt, in milliseconds. */
  readonly timeoutMs: number
}

/** A declared resource as written; templates are not yet expanded. */
export interface Declaration {
  readonly type: string
  readonly name: string
  readonly alias?: string
  /** `type#name`; `type#alias` if several resources share type and name. */
  readonly id: string
  /** The property values of the type, including `name` and `ensure`, with aliases of property names resolved. */
  readonly properties: Readonly<Record<string, unknown>>
  /** The decoded and checked properties with defaults, if no template is left to expand. */
  readonly settled?: Readonly<Record<string, unknown>>
  readonly provider?: string
  /** Ids of earlier resources that must not have failed. */
  readonly require: readonly string[]
  /** Ids of earlier resources whose changes trigger this one. */
  readonly subscribe: readonly string[]
  readonly control?: { readonly if?: string; readonly unless?: string }
  /** Exported values of earlier resources that its condition and templates read; undefined if empty. */
  readonly reads?: readonly ExportRead[]
  readonly sensitive: boolean
  /** The origins of all its rendered values, if they restrict who may see them; undefined if empty. */
  readonly madeOf?: ReadonlySet<Origin>
  /** In execution order; undefined if empty. */
  readonly healthChecks?: readonly HealthCheck[]
  /** Registry entries, published once a fix has verified the resource; undefined if empty. */
  readonly registrations?: readonly Registration[]
  readonly position: Position
}

/** The origin of a value, if it restricts who may see derived values. */
export type Origin = 'secret' | 'environment' | 'file'

/** The child manifest of an apply resource, as determined when its policy was loaded. */
export type Child<Below = Policy> =
  | {
      readonly kind: 'loaded'
      readonly policy: Below
      /** Its resources are only audited, even in a fix. */
      readonly noop: boolean
      /** Only the health checks of its resources run. */
      readonly healthCheckOnly: boolean
    }
  /** `control` excludes it, so it was not read. */
  | { readonly kind: 'ruled-out'; readonly because: string }
  /** Its condition or a value could not be evaluated, so it was not read. */
  | { readonly kind: 'failed'; readonly reason: ErrorReason; readonly errors: readonly string[] }

/** A policy as read: checked and with references resolved, but not yet evaluated. */
export interface Policy {
  /** `policy.id`, by default the file name without its extension. */
  readonly id: string
  readonly title?: string
  readonly version?: string
  readonly description?: string
  /** The file name as the operator wrote it; `-` for standard input. */
  readonly source: string
  /** sha256 of the file's bytes, lower-case hex. */
  readonly sha256: string
  /** The absolute base directory of relative paths in the policy. */
  readonly workingDirectory: string
  readonly failOnError: boolean
  readonly preMessage?: string
  readonly postMessage?: string
  readonly controls: readonly Control[]
  readonly resources: readonly Declaration[]
  /** The child manifests of its apply resources, by id; undefined if empty. */
  readonly children?: ReadonlyMap<string, Child>
  /** Texts that must never be shown: data marked `@sensitive`. */
  readonly secrets?: readonly string[]
  /** Notes, such as a property that is accepted but has no effect. */
  readonly notes: readonly string[]
}

interface Parent<Below> {
  readonly children?: ReadonlyMap<string, Child<Below>>
}

/** Policies, each followed by its child manifests, recursively. */
export function withChildren<Each extends Parent<Each>>(policies: readonly Each[]): readonly Each[] {
  return policies.flatMap((policy) => [policy, ...withChildren(childrenOf(policy))])
}

function childrenOf<Below>({ children }: Parent<Below>): readonly Below[] {
  if (children === undefined) return []
  return [...children.values()].flatMap((child) => (child.kind === 'loaded' ? [child.policy] : []))
}
