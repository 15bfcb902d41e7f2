/**
 * driftgate as a library: load policies, scan this machine, render the report.
 *
 * ```ts
 * const loaded = await loadPolicy('policies/linux-baseline.yaml')
 * if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'))
 * try {
 *   const run = await scan(loaded.value)
 *   console.log(await renderReport(run, 'text'))
 *   process.exitCode = run.exit.code
 * } finally {
 *   await loaded.dispose()
 * }
 * ```
 *
 * And the way to add resource types, see `defineResource`; `driftgate/testing` tests them.
 *
 * @packageDocumentation
 */
export type { Exported, ExportedValues, ExportRead, ExportsOf, ExportSpec, ExportSpecs } from './core/exported.ts'
export {
  cannot,
  type Comparable,
  type DecisionParts,
  type Difference,
  differences,
  missing,
} from './core/differences.ts'
export { type ApplyOutcome, type Decision, NO_PLAN, type Obstacle, type Occasion, type Plan } from './core/decision.ts'
export {
  absent,
  type ErrorReason,
  known,
  type Observation,
  present,
  type Reading,
  type Seen,
  type Unknown,
  unknown,
} from './core/observation.ts'
export {
  type Acceptance,
  acceptedFor,
  type Condition,
  isAcceptance,
  isAccepted,
  type ValueOrder,
} from './core/acceptance.ts'
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
} from './core/property.ts'
export {
  defineExports,
  defineProperties,
  defineResource,
  type HintContext,
  type Provider,
  type ResourceContext,
  type ResourceDefinition,
  type ResourceExample,
  type ResourceStatus,
  type ResourceType,
  type TemplateView,
} from './resource-type/define.ts'
export { resourceTypes } from './resources/index.ts'
export type { Command, CommandOutcome, CommandOutput } from './target/command.ts'
export type { FilesystemUsage, InterfaceAddress, SystemProbe } from './target/probe.ts'
export type {
  DefaultAttributes,
  DownloadRequest,
  ExtractRequest,
  FileAttributes,
  FileContent,
  Ownership,
  OwnershipOptions,
  Remediator,
} from './target/remediator.ts'
export type { FileKind, FileStat, Target, TargetSystem, TreeEntry } from './target/target.ts'
export type { Child, Control, Declaration, HealthCheck } from './core/policy.ts'
export type {
  ControlOutcome,
  EvaluationFailure,
  Expander,
  Expansion,
  RunnablePolicy as Policy,
} from './runnable/policy.ts'
export type { Position, Problem, Result } from './core/problem.ts'
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
} from './core/run.ts'
export type {
  BaselineClass,
  BaselineComparison,
  DriftFate,
  FateCounts,
  IncomparableDrift,
  PastDrift,
} from './core/baseline.ts'
export type { Waiver, WaiverRecord, WaiverScope, WaiverState, WaiverTerms, WaiverUse } from './core/waiver.ts'
export type { Change, Severity, Verdict } from './core/verdict.ts'
export { SEVERITIES, VERDICTS } from './core/verdict.ts'
export type { ContentDigest, Drift, Redacted, ReportValue, UnknownProperty } from './core/drift.ts'
export type { Selection } from './core/selection.ts'
export { scan, type ScanOptions } from './engine/local.ts'
export type { Progress } from './engine/run.ts'
export { compareDebianVersions } from './core/versions/debian.ts'
export { compareRpmVersions } from './core/versions/rpm.ts'
export { loadWaivers, type LoadWaiversOptions } from './waivers/load.ts'
export { formatProblem } from './core/format-problem.ts'
export type { LoadedPolicies } from './policy/load.ts'
export { loadPolicy, type LoadPolicyOptions } from './policy/load.ts'
export { definePlugin, type Plugin } from './plugin/define-plugin.ts'
export { renderReport } from './report/index.ts'
export type { RenderOptions, ReportFormat, ReportStream, Tone, TrendPoint } from './report/format.ts'
