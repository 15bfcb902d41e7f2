import type { Budget, GoFunction, GoValue } from '../../templates/govalue/index.ts'
import type { ReadTemplateFile } from './functions.ts'
import type { RegistrationQuery } from '../../model/registration.ts'
import type { MissingTest } from './member-check.ts'
import type { ReadLog } from './read-log.ts'
import type { Shape } from './shape.ts'
import type { UnreadValue } from './strict-values.ts'

export type ValueMap = ReadonlyMap<GoValue, GoValue>

/** All values and functions of a policy's templates. The values must not change afterwards. */
export interface EnvironmentOptions {
  /** The facts. Called once, by the first template that reads any. */
  readonly facts: () => ValueMap
  /** The resolved data of the policy. */
  readonly data: ValueMap
  readonly environ: ReadonlyMap<string, string>
  /** Why templates have no environment variables, if so. */
  readonly environRefusal?: string | undefined
  /** Base directory of relative file names. */
  readonly workingDirectory: string
  readonly readFile: ReadTemplateFile
  /** Records reads. Lookups are reported to it, so that it may watch the data as well. */
  readonly reads?: ReadLog | undefined
  /** Whether a path of the machine exists. Throws an `Error` if that is unknown. */
  readonly fileExists?: ((path: string) => boolean) | undefined
  /** Hierarchies may only call `lookup`; default `all`. */
  readonly functions?: 'all' | 'lookup-only'
  /** Result of a lookup without a default and without a match; default `error`. */
  readonly onMissing?: 'error' | 'empty'
  /** Renders Jet templates; if undefined, `jet` is an error. */
  readonly jet?: JetRenderer | undefined
  /** Reads a key-value bucket of a server; if undefined, `kvGet` is an error. */
  readonly kvGet?: ((bucket: string, key: string) => string) | undefined
  /** Lists registrations of a server; if undefined, `registrations` is an error. */
  readonly registrations?: ((query: RegistrationQuery) => GoValue) | undefined
  /** Makes reading an unknown name an error, as in policies; if undefined, it gives the result of the Go tools. */
  readonly strict?: StrictOptions | undefined
}

/** Known names in an environment where reading an unknown one is an error. */
export interface StrictOptions {
  /** The shape of possible facts, in addition to the given ones. */
  readonly facts: Shape
  /** The unreadable facts. Called after `facts`. */
  readonly unreadFacts: () => readonly UnreadValue[]
  /** Whether a missing key of the data is an error in every evaluation. */
  readonly isMissing?: MissingTest | undefined
}

export type JetRenderer = (source: string, options: JetRendering) => string

export interface JetRendering {
  readonly delimiters: readonly [left: string, right: string]
  readonly variables: ReadonlyMap<string, GoValue>
  /** The initial dot. */
  readonly context: GoValue
  readonly functions: ReadonlyMap<string, GoFunction>
  readonly budget: Budget
  /** Whether nil is printed or an error. */
  readonly nil: 'print' | 'refuse'
}

/** Exported values of earlier resources for templates. Both members throw for a missing value. */
export interface ResourceValues {
  readonly variable: GoValue
  /** Finds the value of a lookup path after `resources.`. */
  readonly find: (path: string) => GoValue | undefined
}
