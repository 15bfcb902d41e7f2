import { countOf } from '../../model/count-of.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { isLeft, type UndoneItem } from '../../engine/undo/put-back.ts'
import type { TakenBack } from '../../engine/undo/taken-back.ts'
import type { Paint } from './color.ts'

/** Whether an undo is done or planned. */
export type UndoTense = 'done' | 'planned'

const WORDS = {
  done: { restored: 'restored', 'as-before': 'already as before', conflict: 'conflict', failed: 'failed' },
  planned: { restored: 'to restore', 'as-before': 'already as before', conflict: 'conflict', failed: 'unknown' },
} as const

const TONES = { restored: 'good', 'as-before': 'dim', conflict: 'bad', failed: 'bad' } as const

/** Counts by outcome, such as "2 restored, 1 conflict, 1 to do by hand". */
export function undoSummary(taken: readonly TakenBack[], tense: UndoTense): string {
  const things = taken.flatMap((result) => result.things)
  const words = WORDS[tense]
  const commands = taken.reduce((sum, result) => sum + result.commands.length, 0)
  const byHand = taken.reduce((sum, result) => sum + result.byHand.length, 0)
  const counts = (['restored', 'as-before', 'conflict', 'failed'] as const).flatMap((outcome) => {
    const count = things.filter((thing) => thing.outcome === outcome).length
    return count === 0 ? [] : [`${count} ${words[outcome]}`]
  })
  return [
    ...counts,
    ...(commands === 0 ? [] : [`${countOf(commands, 'command')} ${tense === 'done' ? 'run' : 'to run'}`]),
    ...(byHand === 0 ? [] : [`${byHand} to do by hand`]),
  ].join(', ')
}

/** Items with their states, by resource. */
export function undoLines(taken: readonly TakenBack[], tense: UndoTense, paint: Paint): readonly string[] {
  return taken.flatMap(({ owner: { id, source }, things, commands, byHand, warnings }) => [
    `${escapeForTerminal(id)}  ${paint('dim', escapeForTerminal(`${source.file}:${source.line}`))}`,
    ...things.flatMap((thing) => thingLines(thing, tense, paint)),
    ...commands.map((command) => `  ${tense === 'done' ? 'ran' : 'to run'}  ${escapeForTerminal(command)}`),
    ...byHand.map((text) => `  ${paint('bad', 'by hand')}  ${escapeForTerminal(text)}`),
    ...warnings.map((text) => `  ${paint('warn', 'warning')}  ${escapeForTerminal(text)}`),
    '',
  ])
}

function thingLines(thing: UndoneItem, tense: UndoTense, paint: Paint): readonly string[] {
  const { kind, name, outcome, message, before, after, found } = thing
  const title = kind === 'path' ? name : `${name} (${kind})`
  const reason = message === undefined ? '' : `: ${message}`
  const states =
    outcome === 'as-before'
      ? [`is and was ${before}`]
      : [
          `before the fix: ${before}`,
          ...(after === undefined || (after === found && !isLeft(thing)) ? [] : [`after the fix:  ${after}`]),
          ...(found === undefined
            ? []
            : [`${tense === 'done' && outcome === 'restored' ? 'was found as:  ' : 'now:           '} ${found}`]),
        ]
  return [
    `  ${paint(TONES[outcome], WORDS[tense][outcome])}  ${escapeForTerminal(title + reason)}`,
    ...states.map((state) => `    ${escapeForTerminal(state)}`),
  ]
}

/** Outcomes as JSON data. */
export function undoForPrograms(taken: readonly TakenBack[]): unknown {
  return taken.map(({ owner, things, commands, byHand, warnings }) => ({
    policy: owner.policy,
    resource: owner.id,
    ...(owner.path !== undefined && { path: owner.path }),
    source: owner.source,
    things,
    commands,
    byHand,
    warnings,
  }))
}
