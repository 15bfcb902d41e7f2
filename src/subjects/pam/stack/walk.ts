import { type Action, type Return, RETURNS } from './control.ts'
import type { PamEntry, PamType } from './stack.ts'

/** libpam's impression: undefined, success with `status`, or denial with `status`. */
interface Impression {
  readonly sign: 0 | 1 | -1
  readonly status: Return
}

interface State {
  readonly index: number
  readonly impression: Impression
  /** The substack level of the last line called. */
  readonly level: number
  /** By level, the impression at the start of the substack. */
  readonly saved: readonly Impression[]
}

const NO_IMPRESSION: Impression = { sign: 0, status: 'perm_denied' }

const START: State = { index: 0, impression: NO_IMPRESSION, level: 0, saved: [NO_IMPRESSION] }

/** A module call with its return value. */
export interface Step {
  readonly entry: PamEntry
  readonly returned: Return
}

/**
 * The result of the stack if every module returns the value from `returned`. Follows _pam_dispatch_aux of libpam for the
 * first run of a chain.
 */
export function runStack(entries: readonly PamEntry[], returned: (entry: PamEntry) => Return): Return {
  let state = START
  for (let entry = entries[0]; entry !== undefined; entry = entries[state.index]) {
    state =
      entry.kind === 'substack'
        ? enterSubstack(state, entry)
        : callModule(entries, state, { entry, returned: returned(entry) })
  }
  return answerOf(state.impression)
}

function answerOf({ sign, status }: Impression): Return {
  return status === 'success' && sign !== 1 ? 'perm_denied' : status
}

/** Enters a substack; its first line calls no module. */
function enterSubstack(state: State, { level }: PamEntry): State {
  return { index: state.index + 1, impression: state.impression, level, saved: savedAt(state, level) }
}

function savedAt({ level: before, saved, impression }: State, level: number): readonly Impression[] {
  return before < level ? [...saved.slice(0, level), impression] : saved.slice(0, level + 1)
}

function callModule(entries: readonly PamEntry[], state: State, { entry, returned }: Step): State {
  const { level } = entry
  const saved = savedAt(state, level)
  const action: Action = entry.actions[RETURNS.indexOf(returned)] ?? 'bad'
  const { impression, passes } = updateImpression({
    impression: state.impression,
    saved: saved[level] ?? NO_IMPRESSION,
    action,
    returned,
  })
  const skipped = passOver(entries, state.index, passes)
  const after = skipped.left > 0 && passes !== Infinity ? refusal('perm_denied') : impression
  return { index: skipped.index + 1, impression: after, level, saved }
}

/** The last of `count` skipped lines; a substack counts as one line. Never leaves the current substack. */
function passOver(
  entries: readonly PamEntry[],
  from: number,
  count: number,
): { readonly index: number; readonly left: number } {
  const level = entries[from]?.level ?? 0
  const levelOf = (index: number): number => entries[index]?.level ?? -1
  let index = from
  let left = count
  while (left > 0 && levelOf(index + 1) >= level) {
    do index += 1
    while (levelOf(index + 1) > level)
    left -= 1
  }
  return { index, left }
}

interface Call {
  readonly impression: Impression
  readonly saved: Impression
  readonly action: Action
  readonly returned: Return
}

/** The impression after a return value and the number of lines to skip; Infinity ends the stack. */
function updateImpression({ impression, saved, action, returned }: Call): { impression: Impression; passes: number } {
  switch (action) {
    case 'ignore':
      return { impression, passes: 0 }
    case 'reset':
      return { impression: saved, passes: 0 }
    case 'ok':
    case 'done': {
      const isOpen = impression.sign === 0 || (impression.sign === 1 && impression.status === 'success')
      const after: Impression = isOpen ? { sign: 1, status: returned } : impression
      return { impression: after, passes: action === 'done' && after.sign === 1 ? Infinity : 0 }
    }
    case 'bad':
    case 'die': {
      const after = impression.sign === -1 ? impression : refusal(returned === 'ignore' ? 'perm_denied' : returned)
      return { impression: after, passes: action === 'die' ? Infinity : 0 }
    }
    default:
      return { impression, passes: action }
  }
}

function refusal(status: Return): Impression {
  return { sign: -1, status }
}

/** A search for a path through a stack. `seen` is the state of the search, initially 0. */
export interface Search {
  /** The possible return values of a module. */
  readonly returns: (entry: PamEntry) => readonly Return[]
  readonly seen: (before: number, step: Step) => number
  /** Whether a path with this result matches; may only depend on `kindOf` the result. */
  readonly isSought: (seen: number, answer: Return) => boolean
}

interface Node {
  readonly state: State
  readonly seen: number
  readonly step?: Step
  readonly before?: Node
}

/**
 * The shortest matching path, or undefined. Within a substack the impression only becomes firmer, so there are few states
 * for each line despite jumps.
 */
export function findWay(entries: readonly PamEntry[], search: Search): readonly Step[] | undefined {
  const known = new Set<string>()
  let level: readonly Node[] = [{ state: START, seen: 0 }]
  while (level.length > 0) {
    const ended = level.find((node) => isEnd(entries, search, node))
    if (ended !== undefined) return stepsTo(ended)
    level = level
      .flatMap((node) => nextNodes(entries, search, node))
      .filter((node) => {
        const key = keyOf(node)
        return !known.has(key) && known.add(key).size > 0
      })
  }
  return undefined
}

function isEnd(entries: readonly PamEntry[], { isSought }: Search, { state, seen }: Node): boolean {
  return state.index >= entries.length && isSought(seen, answerOf(state.impression))
}

function nextNodes(entries: readonly PamEntry[], search: Search, node: Node): readonly Node[] {
  const entry = entries[node.state.index]
  if (entry === undefined) return []
  if (entry.kind === 'substack') return [{ state: enterSubstack(node.state, entry), seen: node.seen, before: node }]
  return search.returns(entry).map((returned): Node => {
    const step = { entry, returned }
    return { state: callModule(entries, node.state, step), seen: search.seen(node.seen, step), step, before: node }
  })
}

/** The relevant part of a return value or result. */
function kindOf(returned: Return): Return | 'refusal' {
  return isPass(returned) ? returned : 'refusal'
}

function keyOf({ state: { index, impression, level, saved }, seen }: Node): string {
  const word = ({ sign, status }: Impression): string => `${sign}${kindOf(status)}`
  return [index, level, seen, word(impression), ...saved.map(word)].join(' ')
}

function stepsTo(node: Node): readonly Step[] {
  const steps: Step[] = []
  for (let each: Node | undefined = node; each !== undefined; each = each.before) {
    if (each.step !== undefined) steps.unshift(each.step)
  }
  return steps
}

const DENIED: Readonly<Record<PamType, Return>> = {
  auth: 'auth_err',
  account: 'auth_err',
  session: 'session_err',
  password: 'authtok_err',
}

/** Likely return values first, so that a reported path is realistic. `incomplete` only suspends a conversation. */
function answersOf(type: PamType): readonly Return[] {
  const likely: readonly Return[] = ['success', DENIED[type], 'ignore']
  return [...likely, ...RETURNS.filter((each) => each !== 'incomplete' && !likely.includes(each))]
}

/**
 * The return values of a module: any, except for modules with documented fixed results; one representative of several with
 * equal effect. @see pam_deny(8), pam_faillock(8)
 */
export function possibleReturns(type: PamType, { kind, exists, name, ...entry }: PamEntry): readonly Return[] {
  if (kind === 'fails') return ['perm_denied']
  if (!exists) return ['module_unknown']
  if (name === 'pam_permit') return ['success']
  if (name === 'pam_deny') return [DENIED[type]]
  if (name === 'pam_warn') return ['ignore']
  // `authfail` counts the failure and never succeeds.
  const isCounter = name === 'pam_faillock' && entry.arguments.includes('authfail')
  const leads = new Map<string, Return>()
  for (const returned of answersOf(type)) {
    const lead = `${kindOf(returned)} ${entry.actions[RETURNS.indexOf(returned)]}`
    const isOut =
      (isCounter && returned === 'success') || (returned === 'ignore' && neverIgnores(name, entry.arguments))
    if (!isOut && !leads.has(lead)) leads.set(lead, returned)
  }
  return [...leads.values()]
}

/** Modules that either let a user in or do not. pam_pkcs11 may ignore a missing card. @see pam_sss(8) */
function neverIgnores(name: string, given: readonly string[]): boolean {
  return name === 'pam_fprintd' || (name === 'pam_sss' && !given.some((each) => each.startsWith('ignore_')))
}

/** Whether the return value is no objection. */
export function isPass(returned: Return): boolean {
  return returned === 'success' || returned === 'ignore' || returned === 'new_authtok_reqd'
}
