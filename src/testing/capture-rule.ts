import { captureOf, type CaptureOptions, selectCapturing } from '../engine/capture.ts'
import type { Captured } from '../resource-type/capture.ts'
import type { Target } from '../host/target.ts'
import { withAnswers, hideAnswers } from './machines.ts'
import { auditResource, withProperNames } from './run-resource.ts'
import type { Stage } from './scene.ts'

// Each question is hidden on its own; only the first ones are tested.
const MOST_QUESTIONS = 100

/**
 * Rule: the captured resource complies with the scene, and unreadable properties are neither guessed nor declared
 * absent. Types without capture pass.
 */
export async function checkCapture(stage: Stage): Promise<readonly string[]> {
  const [type] = selectCapturing([stage.type])
  if (type === undefined) return []
  const { name } = withProperNames(type, { name: 'test', ...stage.properties })
  const look = (target: Target): Promise<Captured> => captureOf(type, String(name), { ...HOW, target })
  const open = hideAnswers(() => false)
  const seen = await look(withAnswers(stage.target(), open))
  const problems: string[] = [...(await checkCompliance(stage, String(name), seen))]
  for (let hidden = 0; hidden < Math.min(open.asked(), MOST_QUESTIONS); hidden++) {
    const blind = hideAnswers((question) => question === hidden)
    const wrong = differencesBetween(seen, await look(withAnswers(stage.target(), blind)))
    if (wrong !== undefined) problems.push(`with question ${hidden + 1} unanswered, ${wrong}`)
  }
  return problems
}

const HOW: Omit<CaptureOptions, 'target'> = {
  signal: new AbortController().signal,
  contents: 'digest',
  isPrivateTaken: true,
}

async function checkCompliance(stage: Stage, name: string, seen: Captured): Promise<readonly string[]> {
  if (seen.kind === 'unknown' || seen.properties === undefined) return []
  const properties = { name, ...seen.properties }
  const options = { workingDirectory: stage.directory, target: stage.target() }
  const { verdict, drift, message = '' } = await auditResource(stage.type, properties, options)
  if (verdict === 'compliant') return []
  const names = drift.map(({ property }) => property).join(', ')
  return [
    `the captured resource must be compliant, but is ${verdict} (${names}${message}): ${JSON.stringify(properties)}`,
  ]
}

/** The first contradiction between a full capture and one with hidden answers. */
function differencesBetween(seen: Captured, blind: Captured): string | undefined {
  if (blind.kind === 'unknown') return undefined
  if (seen.kind !== blind.kind) return seen.kind === 'unknown' ? undefined : `the resource is captured as ${blind.kind}`
  const known = Object.entries(seen.properties ?? {})
  const guessed = Object.entries(blind.properties ?? {}).find(([property, value]) => {
    const [, right] = known.find(([name]) => name === property) ?? []
    return JSON.stringify(right) !== JSON.stringify(value) && !PARAMETERS.has(property)
  })
  return guessed === undefined ? undefined : `${guessed[0]} is captured as ${JSON.stringify(guessed[1])}`
}

/** Parameters of a comparison, which state nothing about the machine. */
const PARAMETERS: ReadonlySet<string> = new Set(['if_absent', 'if_unstored', 'access'])
