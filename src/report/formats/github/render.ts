import { defined } from '../../../model/defined.ts'
import { assertNever } from '../../../model/assert-never.ts'
import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import type { Position } from '../../../model/problem.ts'
import type { PolicyResult, Run } from '../../../model/run.ts'
import { isFailure, VERDICTS } from '../../../model/verdict.ts'
import { aboutOf, type Controls, controlsOf, indexControls, listControls } from '../../words/controls.ts'
import { type Finding, findingsOf, nameOf, worstFirst } from '../../words/finding.ts'
import { placeOf } from '../../words/place.ts'
import { remarksOf } from '../../words/run-remarks.ts'
import { EXIT } from '../../../model/gate.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import { clip } from '../../words/clip.ts'

type Level = 'error' | 'warning' | 'notice'

interface Annotation {
  readonly level: Level
  readonly title: string
  readonly text: string
  readonly position?: Position
}

/** GitHub's limit of annotations per level and step; the log has all of them. */
const SHOWN = 10

const TITLE_CHARACTERS = 200
const TEXT_CHARACTERS = 1_000

/**
 * Workflow commands, which GitHub shows as annotations at the lines of the policies: one per line, worst first, with a
 * summary notice at the end. Line ends are escaped everywhere, so that no text can inject a command.
 * @see GitHub documentation, "Workflow commands for GitHub Actions"
 */
export function render(run: Run): string {
  const remarks = remarksOf(run).map(({ level, text, position }): Annotation => ({
    level,
    title: 'driftgate',
    text,
    ...defined({ position }),
  }))
  const controls = new Map(run.policies.map((policy) => [policy, indexControls(policy)]))
  const annotations = [
    ...remarks,
    ...worstFirst(findingsOf(run)).flatMap((finding) => annotate(finding, run, controls)),
  ]
  const ofLevel = (wanted: Level): readonly Annotation[] => annotations.filter(({ level }) => level === wanted)
  const [errors, warnings, notices] = [ofLevel('error'), ofLevel('warning'), ofLevel('notice')]
  // The summary notice counts towards the limit.
  const shown = [...errors, ...warnings, ...notices.slice(0, SHOWN - 1)]
  const closing: Annotation = {
    level: 'notice',
    title: 'driftgate',
    text: [conclude(run), ...describeRest(errors.length, warnings.length, notices.length)].join(' '),
  }
  return [...shown, closing].map((annotation) => `${format(annotation)}\n`).join('')
}

/** Compliant and not applicable resources get no annotation. */
function annotate(
  finding: Finding,
  { target, exit }: Run,
  controls: ReadonlyMap<PolicyResult, Controls>,
): readonly Annotation[] {
  const level = levelOf(finding, exit)
  if (level === undefined) return []
  const { result, origin, state, text } = finding
  const host = target.kind === 'merged' ? ` on ${hostNameOf(origin.target)}` : ''
  const supports = result.controls.length === 0 ? '' : ` ${listControls(result.controls)}`
  const title = `${state} (${result.severity})${supports}: ${nameOf(result)}${host}`
  const advice = isFailure(finding.state)
    ? controlsOf(result, controls.get(finding.policy) ?? new Map()).flatMap(aboutOf)
    : []
  const all = [text, ...advice.map(([label, said]) => `${label}: ${said}`)].join('; ')
  return [{ level, title, text: all, position: result.source }]
}

/** Drift that the gate accepts is not an error. */
function levelOf({ state, result }: Finding, exit: Run['exit']): Level | undefined {
  switch (state) {
    case 'drifted':
      return exit.code === EXIT.ok || result.severity === 'info' || result.severity === 'low' ? 'warning' : 'error'
    case 'fix-failed':
    case 'error':
      return 'error'
    case 'blocked':
    case 'unread':
      return 'warning'
    case 'known':
    case 'waived':
    case 'fixed':
      return 'notice'
    case 'not-applicable':
    case 'compliant':
      return undefined
    default:
      return assertNever(state)
  }
}

function conclude({ summary, exit }: Run): string {
  const counts = VERDICTS.filter((verdict) => summary[verdict] > 0).map((verdict) => `${summary[verdict]} ${verdict}`)
  const total =
    summary.total === 0 ? 'nothing was evaluated' : `${count(summary.total, 'resource')}: ${counts.join(', ')}`
  return `${[`${total}, exit ${exit.code}`, ...exit.reasons].join('; ')}.`
}

function describeRest(errors: number, warnings: number, notices: number): readonly string[] {
  const inLog = [count(errors - SHOWN, 'error'), count(warnings - SHOWN, 'warning')].filter((text) => text !== '')
  const elsewhere = count(notices - (SHOWN - 1), 'notice')
  const rest = [
    ...(inLog.length === 0 ? [] : [`the log has ${inLog.join(' and ')} more`]),
    ...(elsewhere === '' ? [] : [`the other reports have ${elsewhere} more`]),
  ]
  return rest.length === 0 ? [] : [`GitHub shows ${SHOWN} annotations of a level: ${rest.join(', ')}.`]
}

/** The number with its noun; empty for 0. */
function count(number: number, noun: string): string {
  return number <= 0 ? '' : countOf(number, noun)
}

function format({ level, title, text, position }: Annotation): string {
  const properties = [...fileProperties(position), ['title', escapeForTerminal(clip(title, TITLE_CHARACTERS))]]
  const written = properties.map(([name = '', value = '']) => `${name}=${escapeProperty(value)}`).join(',')
  return `::${level} ${written}::${escapeData(escapeForTerminal(clip(text, TEXT_CHARACTERS)))}`
}

/** GitHub resolves an absolute path below the checkout. A file in a bundle has no line it could show. */
function fileProperties(position: Position | undefined): readonly string[][] {
  if (position === undefined) return []
  const place = placeOf(position.file)
  if (place.kind !== 'inside' && place.kind !== 'absolute') return []
  const file = ['file', escapeForTerminal(place.path)]
  if (place.isBundle) return [file]
  return [file, ['line', String(position.line)], ['col', String(position.column)]]
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
