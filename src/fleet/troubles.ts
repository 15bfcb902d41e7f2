import type { OperatorError } from '../model/operator-error.ts'
import { activeOf } from './census.ts'
import type { FleetView } from './fleet.ts'

/** Latest errors of a long-running process. */
export interface Troubles {
  sourceTrouble?: { readonly message: string; readonly sinceMs: number }
  rosterTrouble?: string
  rolloutTrouble?: string | undefined
  recordTrouble?: string | undefined
}

export function sentenceOf({ message, problems }: OperatorError): string {
  return [message, ...problems.map((problem) => problem.message)].join(': ')
}

/** Reasons why the view of a fleet may be out of date, as sentences. */
export function troublesOf(
  { sourceTrouble, rosterTrouble, rolloutTrouble, recordTrouble }: Readonly<Troubles>,
  { hosts, dropped }: FleetView,
): readonly string[] {
  const heard = activeOf(hosts).filter(({ heardAtMs }) => heardAtMs !== undefined)
  const newest = heard.reduce((latest, { heardAtMs = 0 }) => Math.max(latest, heardAtMs), 0)
  // While reports are unreadable, nothing is released or recorded: one cause is one alarm.
  const isRead = sourceTrouble === undefined
  const isQuiet = isRead && heard.length > 1 && heard.every(({ presence }) => presence === 'silent')
  return [
    sourceTrouble !== undefined &&
      `${sentenceStart(sourceTrouble.message)}, since ${timeWords(sourceTrouble.sinceMs)}. This page shows the state of that time`,
    rosterTrouble !== undefined && sentenceStart(rosterTrouble),
    isRead && rolloutTrouble !== undefined && `The rollout does not go on: ${rolloutTrouble}`,
    isRead && recordTrouble !== undefined && `Forgeries cannot be recorded: ${recordTrouble}`,
    ...dropped.map(sentenceStart),
    isQuiet && `No host has reported since ${timeWords(newest)}: check the delivery of reports first, then the hosts`,
  ].filter((trouble) => trouble !== false)
}

function sentenceStart(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function timeWords(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
