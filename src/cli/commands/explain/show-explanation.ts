import { columnsOf } from '../../../model/columns.ts'
import { escapeInQuotes } from '../../../model/safe-json.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { formatPosition } from '../../../model/format-problem.ts'
import type { Position } from '../../../model/problem.ts'
import type { ResourceResult } from '../../../model/run.ts'
import { VERDICT_TONES } from '../../../report/format.ts'
import { describeResource } from '../../../report/words/describe.ts'
import type {
  ExplainedCondition,
  ExplainedControl,
  ExplainedProperty,
  Explanation,
  PropertyOrigin,
  RelatedResource,
} from '../../../engine/inspect/explain/model.ts'
import type { Paint } from '../../output/color.ts'
import { blockOf, indent, inlineOf, inputLines, table } from './explanation-lines.ts'
import { layOut } from '../../../report/words/rows.ts'

/** JSON of an explanation (`driftgate.explanation/v1`), with a final line feed. */
export function explanationToJson(explanation: Explanation): string {
  // Integers beyond the range of JSON readers become text.
  const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
  return `${escapeInQuotes(JSON.stringify(explanation, plain, 2))}\n`
}

/** Text of an explanation. Lines end in a line feed; all other control characters are escaped. */
export function showExplanation(explanation: Explanation, paint: Paint): string {
  const sections: readonly (readonly string[])[] = [
    headLines(explanation, paint),
    section('properties', propertyLines(explanation, paint), paint),
    section('control', explanation.control === undefined ? [] : controlLines(explanation.control, paint), paint),
    section('supports', supportLines(explanation, paint), paint),
    section('related', relationLines(explanation, paint), paint),
    section('providers', providerLines(explanation, paint), paint),
    section('on this machine', resultLines(explanation, paint), paint),
  ]
  return sections
    .filter(({ length }) => length > 0)
    .map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join(''))
    .join('\n')
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : [paint('strong', title), ...indent(lines)]
}

function headLines({ resource, policy }: Explanation, paint: Paint): readonly string[] {
  const { id, path = [], alias, sensitive, source } = resource
  const title = policy.title === undefined ? policy.id : `${policy.id}: ${policy.title}`
  const about = policy.version === undefined ? policy.source : `${policy.source}, version ${policy.version}`
  return [
    `${paint('strong', escapeForTerminal(id))}  ${paintPosition(source, paint)}`,
    `  of ${escapeForTerminal(title)} ${paint('dim', `(${escapeForTerminal(about)})`)}`,
    ...(path.length === 0 ? [] : [`  reached through ${path.map(escapeForTerminal).join(' > ')}`]),
    ...(alias === undefined ? [] : [`  also called ${escapeForTerminal(alias)}`]),
    ...(sensitive ? ['  sensitive: its values are not shown'] : []),
  ]
}

function paintPosition(position: Position, paint: Paint): string {
  return paint('dim', formatPosition(position))
}

function propertyLines({ properties, unset }: Explanation, paint: Paint): readonly string[] {
  const rows = properties.map((property) => propertyRow(property, paint))
  const rest = unset.length === 0 ? [] : [paint('dim', `not set: ${unset.join(', ')}`)]
  return [...table(rows), ...rest]
}

function propertyRow(
  { name, value, message, from, template }: ExplainedProperty,
  paint: Paint,
): Parameters<typeof table>[0][number] {
  const inline = message === undefined ? inlineOf(value) : escapeForTerminal(message)
  const block = inline === undefined ? blockOf(value) : []
  const shown = inline ?? `${block.length} ${block.length === 1 ? 'line' : 'lines'}`
  return {
    cells: [escapeForTerminal(name), paint(message === undefined ? 'good' : 'warn', shown)],
    widths: [columnsOf(escapeForTerminal(name)), columnsOf(shown)],
    end: originText(from, paint),
    below: [
      ...indent(block),
      ...(template === undefined ? [] : ['template:', ...indent(blockOf(template.written))]),
      ...(template === undefined || template.inputs.length === 0 ? [] : ['reads:']),
      ...indent(inputLines(template?.inputs ?? [], paint)),
    ],
  }
}

function originText(from: PropertyOrigin, paint: Paint): string {
  if (from.kind === 'type') return paint('dim', 'default of the type')
  const shown = paintPosition(from.position, paint)
  return from.kind === 'resource' ? shown : `${shown} ${paint('dim', `in the defaults of line ${from.block.line}`)}`
}

const OUTCOMES: Readonly<Record<ExplainedControl['outcome'], string>> = {
  managed: 'so it applies to this host',
  'not-managed': 'so it does not apply to this host',
  failed: 'could not be evaluated',
}

function controlLines({ outcome, message, conditions }: ExplainedControl, paint: Paint): readonly string[] {
  const failure = outcome === 'failed' && message !== undefined ? `: ${escapeForTerminal(message)}` : ''
  const tone = outcome === 'managed' ? 'good' : outcome === 'failed' ? 'bad' : 'dim'
  return [
    ...conditions.flatMap((condition) => conditionLines(condition, paint)),
    paint(tone, OUTCOMES[outcome] + failure),
  ]
}

function conditionLines({ key, expression, value, from, inputs }: ExplainedCondition, paint: Paint): readonly string[] {
  const gave = value === undefined ? 'not evaluated' : `gives ${value}`
  const shown = `${key}: ${escapeForTerminal(expression.replaceAll(/\s*\n\s*/g, ' ').trim())}`
  return [`${shown}  ${paint('dim', gave)}  ${originText(from, paint)}`, ...indent(inputLines(inputs, paint))]
}

function supportLines({ controls }: Explanation, paint: Paint): readonly string[] {
  return table(
    controls.map(({ id, title, severity, through }) => ({
      cells: [severity, escapeForTerminal(id), escapeForTerminal(title ?? '')],
      end: through === undefined ? '' : paint('dim', `through ${escapeForTerminal(through)}`),
    })),
  )
}

function relationLines(explanation: Explanation, paint: Paint): readonly string[] {
  const { require, subscribe, reads, requiredBy, subscribedBy, readBy } = explanation
  const rows = (label: string, resources: readonly RelatedResource[]): Parameters<typeof table>[0] =>
    resources.map(({ id, source }) => ({ cells: [label, escapeForTerminal(id)], end: paintPosition(source, paint) }))
  return table([
    ...rows('requires', require),
    ...rows('subscribes to', subscribe),
    ...rows('reads from', reads),
    ...rows('required by', requiredBy),
    ...rows('subscribed to by', subscribedBy),
    ...rows('read by', readBy),
  ])
}

function providerLines({ providers, resource }: Explanation, paint: Paint): readonly string[] {
  return table(
    providers.map(({ name, outcome, needs }) => {
      const reasons: Readonly<Record<typeof outcome, string>> = {
        chosen: 'chosen',
        'not-named': `the resource names another provider`,
        platform: 'does not work on this platform',
        unusable: needs === undefined ? 'does not work on this host' : `this host lacks ${needs}`,
        later: `an earlier provider works`,
      }
      return { cells: [name], end: paint(outcome === 'chosen' ? 'good' : 'dim', reasons[outcome]) }
    }),
  ).concat(providers.length === 0 ? [`type ${resource.type} has no providers`] : [])
}

function resultLines({ result, below = [], notEvaluated }: Explanation, paint: Paint): readonly string[] {
  if (result === undefined) return [paint('warn', 'not evaluated: the audit was interrupted')]
  const channel = { escape: escapeForTerminal, paint }
  const rows = layOut([...describeResource(result, channel), ...fixRow(result)], paint)
  const inside = below.map(({ id, verdict, message }) => {
    const why = message === undefined ? '' : paint('dim', `  ${escapeForTerminal(message)}`)
    return `${paint(VERDICT_TONES[verdict], verdict)}  ${escapeForTerminal(id)}${why}`
  })
  const left =
    notEvaluated.length === 0
      ? []
      : [`requirements and subscriptions not evaluated: ${notEvaluated.map(escapeForTerminal).join(', ')}`]
  return [
    `${paint(VERDICT_TONES[result.verdict], result.verdict)}  ${result.severity}`,
    ...indent(rows),
    ...indent(inside),
    ...left.map((line) => paint('dim', line)),
  ]
}

/** Effect of `--fix` in one line. */
function fixRow({ verdict, change, actions }: ResourceResult): Parameters<typeof layOut>[0] {
  const text = fixText(verdict, change, actions)
  return text === undefined ? [] : [{ label: 'fix', lines: [text] }]
}

function fixText(
  verdict: ResourceResult['verdict'],
  change: ResourceResult['change'],
  actions: readonly string[],
): string | undefined {
  if (verdict === 'compliant') return actions.length === 0 ? 'would change nothing' : 'would apply the plan'
  if (verdict !== 'drifted' && verdict !== 'fix-failed') return 'would not change it'
  // The reason already tells whether it can be fixed otherwise.
  return change === 'will' ? 'would fix it' : undefined
}
