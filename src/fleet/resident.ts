import { defined } from '../model/defined.ts'
import type { Exit } from '../model/gate.ts'
import { OperatorError } from '../model/operator-error.ts'
import type { Severity } from '../model/verdict.ts'
import type { FleetHost } from './census.ts'
import { controlsOf, type FleetControl } from './controls.ts'
import { fileVersion } from './file-version.ts'
import { type Fleet, type FleetSettings, type FleetView, openFleet } from './fleet.ts'
import { gateOf } from './gate.ts'
import type { StoredEntry } from './nats/audit.ts'
import type { AuditReader } from './nats/audit-reader.ts'
import type { ForgeryRecord } from './nats/forgeries.ts'
import type { Controller } from './rollout/controller.ts'
import { rolloutForPrograms } from './rollout/for-programs.ts'
import type { ObservedRollout } from './rollout/seen.ts'
import { sentenceOf, type Troubles, troublesOf } from './troubles.ts'

/** View of the fleet in a long-running process. */
export interface ResidentView extends FleetView {
  /** Increases with every message and whenever time changes the state of a host. */
  readonly version: number
  readonly exit: Exit
  readonly controls: () => readonly FleetControl[]
  /** Time of the last read of the reports, in milliseconds since 1970. */
  readonly readAtMs: number
  /** The rollout; absent before the first one, or without rollouts. */
  readonly rollout?: ObservedRollout
  /** Activity log, newest last; absent if unknown. */
  readonly acts?: readonly StoredEntry[]
  /** Messages on why the view may be out of date; empty if it is current. */
  readonly troubles: readonly string[]
}

/** A fleet that is read continuously. */
export interface Resident {
  /** Undefined until everything has been read once. */
  readonly view: () => ResidentView | undefined
  /** Number of runs read so far. */
  readonly heard: () => number
  /** Calls the listener after each change; returns a function that unsubscribes it. */
  readonly onChange: (listener: () => void) => () => void
  /** Reads until the signal. Throws an `OperatorError` if the first read fails; later errors appear in the view. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Fleet settings and the severity of the gate. */
export interface ResidentSettings extends FleetSettings {
  readonly failOn: Severity
  /** Evaluates the rollout after each full read; closed at the end. */
  readonly rollout?: Controller
  /** Records forged items; closed at the end. */
  readonly forgeries?: ForgeryRecord
  /** Reads the activity log; closed at the end. */
  readonly audit?: AuditReader
}

/** Maximum age of a cached view without new runs, in milliseconds; more if counting is slow. */
const FRESH_MS = 1_000

/** Delay after a hint, in milliseconds: writing a file takes several steps. */
const SETTLING_MS = 50

/** Full reads and background counting use at most a 20th of the time. */
const SHARE = 20
const LONGEST_PAUSE_MS = 60_000

/** Reads nothing until it is run. */
export function residentFleet(settings: ResidentSettings): Resident {
  const listeners = new Set<() => void>()
  const state: State = { settings, version: 0, fingerprint: '', readAtMs: 0, countingMs: 0 }

  function view(): ResidentView | undefined {
    if (state.fleet === undefined || state.readAtMs === 0) return undefined
    const nowMs = Date.now()
    const freshMs = Math.max(FRESH_MS, SHARE * state.countingMs)
    const isSame = state.shownHeard === state.fleet.heard()
    if (state.shown !== undefined && isSame && nowMs - state.shown.nowMs < freshMs) return state.shown
    state.shownHeard = state.fleet.heard()
    state.shown = takeView(state, state.fleet, nowMs)
    return state.shown
  }

  function announce(): void {
    if (listeners.size === 0) return
    const before = state.shown?.version
    if (view()?.version !== before) for (const listener of listeners) listener()
  }

  async function run(signal: AbortSignal): Promise<void> {
    state.rosterVersion = rosterVersionOf(settings)
    await adopt(state, openFleet(settings), signal)
    await act(state)
    const ticking = setInterval(() => {
      const sinceMs = Date.now() - (state.shown?.nowMs ?? 0)
      if (sinceMs >= Math.max(FRESH_MS, SHARE * state.countingMs)) announce()
    }, FRESH_MS)
    try {
      await lookForever(state, { signal, announce })
    } finally {
      clearInterval(ticking)
      state.unwatch?.()
      await state.fleet?.close()
      await settings.rollout?.close()
      await settings.forgeries?.close()
      await settings.audit?.close()
    }
  }

  return {
    view,
    heard: () => state.fleet?.heard() ?? 0,
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    run,
  }
}

interface State extends Troubles {
  readonly settings: ResidentSettings
  fleet?: Fleet
  unwatch?: () => void
  /** Wakes a wait for hints. */
  wake?: () => void
  isHinted?: boolean
  rosterVersion?: string
  version: number
  fingerprint: string
  readAtMs: number
  countingMs: number
  shown?: ResidentView
  /** Number of runs in that view. */
  shownHeard?: number
}

/** Reads everything into the new fleet, which then replaces the previous one. */
async function adopt(state: State, fleet: Fleet, signal: AbortSignal): Promise<void> {
  const unwatch = fleet.watch(() => {
    state.isHinted = true
    state.wake?.()
  })
  state.fleet ??= fleet
  try {
    await fleet.look('everywhere', signal)
  } catch (error) {
    unwatch()
    await fleet.close()
    throw error
  }
  state.unwatch?.()
  if (state.fleet !== fleet) await state.fleet.close()
  state.fleet = fleet
  state.unwatch = unwatch
  delete state.shown
  markRead(state)
}

/** The fleet with the current roster; undefined if it is unchanged or invalid (which is reported). */
function withNewRoster(state: State): Fleet | undefined {
  const { settings } = state
  const version = rosterVersionOf(settings)
  if (version === state.rosterVersion) return undefined
  try {
    const fleet = openFleet(settings)
    delete state.rosterTrouble
    return fleet
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    state.rosterTrouble = `${sentenceOf(error)}. The previous roster stays in force`
    delete state.shown
    return undefined
  } finally {
    state.rosterVersion = version
  }
}

function markRead(state: State): void {
  state.readAtMs = Date.now()
  if (state.sourceTrouble === undefined) return
  delete state.sourceTrouble
  delete state.shown
}

async function lookForever(
  state: State,
  { signal, announce }: { readonly signal: AbortSignal; readonly announce: () => void },
): Promise<void> {
  let wholeAtMs = Date.now()
  let pauseMs = FRESH_MS
  while (!signal.aborted) {
    await hintOr(state, wholeAtMs + pauseMs - Date.now(), signal)
    if (signal.aborted) return
    state.isHinted = false
    const isWhole = Date.now() >= wholeAtMs + pauseMs
    const startedAtMs = Date.now()
    await lookOnce(state, isWhole ? 'everywhere' : 'hinted', signal)
    if (isWhole && !signal.aborted) await act(state)
    announce()
    if (!isWhole) continue
    wholeAtMs = Date.now()
    pauseMs = Math.min(Math.max(FRESH_MS, SHARE * (wholeAtMs - startedAtMs)), LONGEST_PAUSE_MS)
  }
}

async function lookOnce(state: State, where: 'everywhere' | 'hinted', signal: AbortSignal): Promise<void> {
  const { rosterVersion = '' } = state
  const anew = withNewRoster(state)
  try {
    if (anew !== undefined) await adopt(state, anew, signal)
    else await state.fleet?.look(where, signal)
    markRead(state)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    // An interrupted read with the new roster is repeated.
    if (anew !== undefined) state.rosterVersion = rosterVersion
    state.sourceTrouble = { message: sentenceOf(error), sinceMs: state.sourceTrouble?.sinceMs ?? Date.now() }
    delete state.shown
  }
}

/** Releases depend on the reports, so unreadable reports release nothing. */
async function act(state: State): Promise<void> {
  const { fleet, settings } = state
  const { rollout, forgeries, audit } = settings
  if (fleet === undefined || state.sourceTrouble !== undefined) return
  await audit?.look()
  const nowMs = Date.now()
  const view = rollout === undefined && forgeries === undefined ? undefined : fleet.view(nowMs)
  if (view === undefined) return
  state.rolloutTrouble = await troubleOf(async () => rollout?.look(view.hosts, nowMs))
  state.recordTrouble = await troubleOf(async () => forgeries?.note(view.unusable))
}

async function troubleOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return sentenceOf(error)
  }
}

function rosterVersionOf({ rosterFile }: ResidentSettings): string {
  return rosterFile === undefined ? '' : fileVersion(rosterFile)
}

/** Waits for a hint, the timeout or the signal. */
async function hintOr(state: State, pauseMs: number, signal: AbortSignal): Promise<void> {
  if (state.isHinted !== true) await wakeOr(state, pauseMs, signal)
  if (state.isHinted === true && !signal.aborted) await wakeOr({}, SETTLING_MS, signal)
}

function wakeOr(state: Pick<State, 'wake'>, pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      delete state.wake
      resolve()
    }
    const timer = setTimeout(done, Math.max(0, pauseMs))
    signal.addEventListener('abort', done)
    state.wake = done
  })
}

function takeView(state: State, fleet: Fleet, nowMs: number): ResidentView {
  const startedAt = performance.now()
  const view = fleet.view(nowMs)
  const troubles = troublesOf(state, view)
  const rollout = state.settings.rollout?.seen()
  const acts = state.settings.audit?.seen()
  const seen = rollout === undefined ? '' : JSON.stringify(rolloutForPrograms(rollout))
  const lastAct = `${acts?.length} ${acts?.at(-1)?.storedAtMs}`
  const known = [fleet.heard(), view.unusable.length, seen, lastAct, ...troubles, ...view.hosts.map(standingOf)]
  const fingerprint = known.join('\n')
  if (fingerprint !== state.fingerprint) state.version++
  state.fingerprint = fingerprint
  state.countingMs = performance.now() - startedAt
  const { failOn } = state.settings
  const isUnread = state.sourceTrouble !== undefined
  let controls: readonly FleetControl[] | undefined
  return {
    ...view,
    version: state.version,
    exit: gateOf(view.hosts, { failOn, unusable: view.unusable.length, isUnread }),
    controls: () => (controls ??= controlsOf(view.hosts)),
    readAtMs: state.readAtMs,
    ...defined({ rollout, acts }),
    troubles,
  }
}

function standingOf({ name, presence, answer, trouble = '' }: FleetHost): string {
  return `${presence} ${answer} ${name} ${trouble}`
}
