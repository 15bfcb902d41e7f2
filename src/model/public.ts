/** Public API of the domain: resource types, policies and runs. */
// How a resource type observes, decides and reports.
export {
  absent,
  type ErrorReason,
  known,
  notApplicable,
  type NotApplicable,
  type Observation,
  onlyRunning,
  present,
  type Reading,
  type Seen,
  unknown,
  type Unknown,
} from './observation.ts'
export { cannot, type Comparable, type DecisionParts, type Difference, differences, missing } from './differences.ts'
export {
  type ApplyOutcome,
  type Decision,
  type Hazards,
  NO_PLAN,
  type Obstacle,
  type Occasion,
  type Plan,
} from './decision.ts'
export type { Effect, EffectKind } from './effect.ts'
export { RISKS } from './risk.ts'
export type { ContentDigest, Drift, Redacted, ReportValue, UnknownProperty } from './drift.ts'
export type { ExportRead, ExportSpec, ExportSpecs, Exported, ExportedValues, ExportsOf } from './exported.ts'

// Properties of resources.
export type {
  AnySpec,
  BooleanSpec,
  DurationSpec,
  IntegerSpec,
  ListSpec,
  MapSpec,
  PropertiesOf,
  PropertySpec,
  PropertySpecs,
  Rule,
  TextSpec,
  ValueOf,
} from './property.ts'
export {
  type Acceptance,
  acceptedFor,
  type Condition,
  isAcceptance,
  isAccepted,
  type ValueOrder,
} from './acceptance.ts'
export {
  DEBIAN_VERSIONS,
  LISTS,
  type ListItem,
  MODES,
  NUMBERS,
  type OrderName,
  RPM_VERSIONS,
  SETS,
} from './value-orders.ts'
export { compareDebianVersions } from './versions/debian.ts'
export { compareRpmVersions } from './versions/rpm.ts'

// Policies, selections and problems.
export type { Child, Control, Declaration, HealthCheck } from './policy.ts'
export type { Selection } from './selection.ts'
export type { Position, Problem, Result } from './problem.ts'
export { formatProblem } from './format-problem.ts'

// Runs, their comparison and waivers.
export type {
  ControlResult,
  HealthAttempt,
  HealthResult,
  HealthStatus,
  PolicyResult,
  ReportedDrift,
  ResourceResult,
  Run,
  RunMode,
  RunOrigin,
  RunStart,
  RunTarget,
  Summary,
} from './run.ts'
export { type Change, SEVERITIES, type Severity, type Verdict, VERDICTS } from './verdict.ts'
export type {
  BaselineClass,
  BaselineComparison,
  DriftFate,
  FateCounts,
  IncomparableDrift,
  PastDrift,
} from './baseline.ts'
export type { Waiver, WaiverRecord, WaiverScope, WaiverState, WaiverTerms, WaiverUse } from './waiver.ts'
