/**
 * The value model that all template languages share: Go's, because policies written for Go tools must mean the same
 * here. Integers and floats are different types and are told apart by `typeof`.
 *
 * | Go                      | here         |
 * | ----------------------- | ------------ |
 * | nil                     | `null`       |
 * | bool, string            | the same     |
 * | int, uint64             | `bigint`     |
 * | int64 of sprig          | `GoInt64`    |
 * | float64                 | `number`     |
 * | []byte                  | `Uint8Array` |
 * | []any                   | array        |
 * | map[K]any               | `Map`        |
 * | time.Duration           | `GoDuration` |
 * | time.Time               | `GoTime`     |
 * | *time.Location          | `GoLocation` |
 * | time.Month, .Weekday    | `GoEnum`     |
 * | func                    | `GoFunction` |
 *
 * Maps are `Map` objects so that no key can reach a prototype.
 */
export type GoValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly GoValue[]
  | ReadonlyMap<GoValue, GoValue>
  | GoDuration
  | GoTime
  | GoLocation
  | GoEnum
  | GoInt64
  | GoFunction

/** A span of time in nanoseconds, Go's `time.Duration`. */
export interface GoDuration {
  readonly kind: 'duration'
  readonly nanoseconds: bigint
}

/** An instant in nanoseconds since 1970-01-01 UTC together with the zone it is shown in, Go's `time.Time`. */
export interface GoTime {
  readonly kind: 'time'
  readonly unixNanoseconds: bigint
  readonly location: GoLocation
}

/** A time zone by its IANA name, or a fixed offset east of UTC in seconds (then `name` is the abbreviation). */
export interface GoLocation {
  readonly kind: 'location'
  readonly name: string
  readonly offsetSeconds?: number
}

/** A named integer that prints as its name: Go's `time.Month` and `time.Weekday`. */
export interface GoEnum {
  readonly kind: 'enum'
  readonly type: 'time.Month' | 'time.Weekday'
  readonly value: bigint
  readonly name: string
}

/** Go's `int64` where templates can distinguish it from an `int`: the result of sprig's arithmetic. */
export interface GoInt64 {
  readonly kind: 'int64'
  readonly value: bigint
}

/** A function a template may call. */
export interface GoFunction {
  readonly kind: 'function'
  readonly name: string
  /** Gets all arguments, of any number and type. Throws a `TemplateError` for those it does not accept. */
  readonly call: (args: readonly GoValue[]) => GoValue
}
