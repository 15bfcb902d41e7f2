import type { Budget, GoFunction, GoValue } from '../../templates/govalue/index.ts'
import type { ReadTemplateFile } from './functions.ts'
import type { RegistrationQuery } from '../../model/registration.ts'
import type { MissingTest } from './member-check.ts'
import type { ReadLog } from './read-log.ts'
import type { Shape } from './shape.ts'
import type { UnreadValue } from './strict-values.ts'

/** Values by name. */
export type ValueMap = ReadonlyMap<GoValue, GoValue>

/** Everything the templates of a policy can see. The values must not change afterwards. */
export interface EnvironmentOptions {
  /** The facts. Asked for once, by the first template that reads any. */
  readonly facts: () => ValueMap
  /** The resolved data of the policy. */
  readonly data: ValueMap
  readonly environ: ReadonlyMap<string, string>
  /** Why templates may see none of them, where they may not. */
  readonly environRefusal?: string | undefined
  /** Where relative names of files start. */
  readonly workingDirectory: string
  /** How its files are read. */
  readonly readFile: ReadTemplateFile
  /** Notes what is read. Lookups are told to it, so that it may watch the data as well. */
  readonly reads?: ReadLog | undefined
  /** Whether something is at a path of the machine. Throws `Error` when that cannot be told. */
  readonly fileExists?: ((path: string) => boolean) | undefined
  /** Hierarchies may call `lookup` alone; default `all`. */
  readonly functions?: 'all' | 'lookup-only'
  /** What a lookup without a default gives for a path that selects nothing; default `error`. */
  readonly onMissing?: 'error' | 'empty'
  /** Renders Jet templates; absent makes `jet` an error. */
  readonly jet?: JetRenderer | undefined
  /** Reads from a server's key-value bucket; absent makes `kvGet` an error. */
  readonly kvGet?: ((bucket: string, key: string) => string) | undefined
  /** Lists a server's registrations; absent makes `registrations` an error. */
  readonly registrations?: ((query: RegistrationQuery) => GoValue) | undefined
  /** Makes reading what does not exist an error, as policies want it; absent gives what the Go tools give. */
  readonly strict?: StrictOptions | undefined
}

/** What is known of the values of an environment in which reading what does not exist is an error. */
export interface StrictOptions {
  /** The facts that there can be, beside those that are given. */
  readonly facts: Shape
  /** The facts that could not be read. Asked for after `facts`. */
  readonly unreadFacts: () => readonly UnreadValue[]
  /** Whether a key of the data that does not exist here is known to be an error in every evaluation. */
  readonly isMissing?: MissingTest | undefined
}

/** Renders a Jet template with what it can see. */
export type JetRenderer = (source: string, options: JetRendering) => string

/** What a Jet template in a policy can see. */
export interface JetRendering {
  readonly delimiters: readonly [left: string, right: string]
  readonly variables: ReadonlyMap<string, GoValue>
  /** The dot. */
  readonly context: GoValue
  readonly functions: ReadonlyMap<string, GoFunction>
  readonly budget: Budget
  /** What printing nil does. */
  readonly nil: 'print' | 'refuse'
}

/** The values of earlier resources that templates may read. Both throw for a value that is not there. */
export interface ResourceValues {
  /** The value of `Resources`. */
  readonly variable: GoValue
  /** What a lookup of this path behind `resources.` finds. */
  readonly find: (path: string) => GoValue | undefined
}
