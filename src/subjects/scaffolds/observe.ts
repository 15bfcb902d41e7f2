import { basename, dirname, join } from 'node:path'
import type { Obstacle } from '../../model/decision.ts'
import { isWithin } from '../../model/path-rules.ts'
import { absent, known, type Observation, present, unknown } from '../../model/observation.ts'
import type { Target } from '../../host/target.ts'
import { policyFilesOf } from '../shared/policy-files.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { directoryObstacles } from '../shared/paths.ts'
import { inspectAbsent, inspectPresent } from './inspect.ts'
import { openSource, type Rendered, renderTree } from './templates.ts'
import type { ScaffoldContext, ScaffoldState, ScaffoldDesired } from './state.ts'

/** State of a target that could not be compared. */
const NOT_INSPECTED: ScaffoldState = {
  kind: 'directory',
  files: [],
  leftovers: known([]),
  missingDirectories: [],
  unexpected: known([]),
}

type ScaffoldObservation = Observation<ScaffoldState, ScaffoldContext>

/**
 * Renders the templates in memory and compares them with the target. Writes nothing and runs no `post` command, so a file that
 * such a command would change is compared as rendered.
 */
export async function observeScaffold(
  target: Target,
  desired: ScaffoldDesired,
  context: ResourceContext,
): Promise<ScaffoldObservation> {
  try {
    return await observe(target, desired, context)
  } catch (error) {
    if (context.signal.aborted) return unknown('not-observable', 'the run was interrupted')
    throw error
  }
}

async function observe(
  target: Target,
  desired: ScaffoldDesired,
  context: ResourceContext,
): Promise<ScaffoldObservation> {
  const seen = target.files.stat(desired.name)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent' && desired.ensure === 'absent') return observeUnwanted(target, desired.name)
  const source = await openSource(policyFilesOf(target), desired.source, context)
  if (source.kind === 'unknown') return source
  const kind = seen.kind === 'absent' ? undefined : seen.state.kind
  if (source.kind === 'unusable') {
    const unusable = { kind: 'unusable', obstacle: source.obstacle } as const
    return kind === undefined ? absent(unusable) : present(NOT_INSPECTED, unusable)
  }
  const { templates, exhibit } = source.value
  const nesting = nestingProblem(target, templates.directory, desired)
  if (nesting !== undefined) return unknown('invalid', nesting)
  const rendered = await renderTree(templates, desired, context)
  if (rendered.kind === 'unknown') return rendered
  if (kind === undefined) return absent(describe(rendered.value, directoryObstacles(target, dirname(desired.name))))
  if (kind !== 'directory') return present({ kind: 'other', found: kind }, describe(rendered.value, []))
  const inspection = { target, desired, context, exhibit, ...rendered.value }
  const state = desired.ensure === 'absent' ? inspectAbsent(inspection) : await inspectPresent(inspection)
  return present(state, describe(rendered.value, []))
}

/** A dangling link counts as present; the scaffold was its target. */
function observeUnwanted(target: Target, name: string): ScaffoldObservation {
  const direct = target.files.lstat(name)
  if (direct.kind === 'unknown') return direct
  const context = { kind: 'not-needed' } as const
  return direct.kind === 'absent' ? absent(context) : present({ kind: 'other', found: 'symlink' }, context)
}

/** Invalid nesting of source and target: a fix would remove its own templates, or render its own output. */
function nestingProblem(target: Target, source: string, { name, purge }: ScaffoldDesired): string | undefined {
  const [realSource, realTarget] = [realLocation(target, source), realLocation(target, name)]
  if (purge && isWithin(realSource, realTarget)) {
    return `source ${source} is inside ${name}, so purge would remove the templates`
  }
  return isWithin(realTarget, realSource)
    ? `${name} is inside its source ${source}, so its files would be rendered as templates`
    : undefined
}

/** Path with links resolved, as far as it exists. */
function realLocation(target: Target, path: string): string {
  const real = target.files.realPath(path)
  if (real.kind === 'known' && real.value !== null) return real.value
  return path === '/' ? path : join(realLocation(target, dirname(path)), basename(path))
}

function describe({ files, directories }: Rendered, obstacles: readonly Obstacle[]): ScaffoldContext {
  return { kind: 'rendered', files, directories, obstacles }
}
