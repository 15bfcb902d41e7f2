/**
 * driftgate as a library: load policies, scan this machine, render the report.
 *
 * ```ts
 * const loaded = await loadPolicy('@linux')
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
// The words: what a policy and a resource type are made of, what a run finds, and the machine it looks at.
export * from './model/public.ts'
export type * from './host/public.ts'

// What loads a policy, performs it, and shows what was found.
export { type LoadedPolicies, loadPolicy, type LoadPolicyOptions } from './policy/load.ts'
export type {
  ControlOutcome,
  EvaluationFailure,
  Expander,
  Expansion,
  RunnablePolicy as Policy,
} from './policy/runnable/policy.ts'
export { loadWaivers, type LoadWaiversOptions } from './policy/waivers/load.ts'
export { scan, type ScanOptions } from './engine/local.ts'
export { openTarget } from './host/open-target.ts'
export { defineSubject, type Subject, type SubjectDefinition } from './host/define-subject.ts'
export type { Progress } from './engine/progress.ts'
export { renderReport } from './report/index.ts'
export type { RenderOptions, ReportFormat, ReportStream, Tone, TrendPoint } from './report/format.ts'

// What extends driftgate: resource types, and the plugins that bring them.
export * from './resource-type/public.ts'
export { definePlugin, type Plugin } from './plugin/define-plugin.ts'
export { typesWith } from './plugin/types-with.ts'
export {
  defineSurface,
  type PluginSurface,
  type SurfaceDefinition,
  type SurfaceKey,
} from './subjects/settings/define-surface.ts'
export type { Activation } from './settings/surface.ts'
export { defineFacts, type FactsDefinition, type FactValue, type PluginFacts } from './policy/facts/define-facts.ts'
