import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT, type Exit } from '../../../model/gate.ts'
import { spanWords } from '../../../model/span-words.ts'
import { SEVERITIES } from '../../../model/verdict.ts'
import { activeOf, ANSWERS, type FleetHost, type HostAnswer } from '../../../fleet/census.ts'
import { type FleetControl, hostCount } from '../../../fleet/controls.ts'
import type { FleetView } from '../../../fleet/fleet.ts'
import { isUnheard, type Presence, PRESENCES } from '../../../fleet/presence.ts'
import { SEVERITY_TONES, type Tone } from '../../../report/format.ts'
import { joinSections } from '../../../report/words/rows.ts'
import type { Paint } from '../../output/color.ts'
import { type Cell, tableRows } from '../../output/table.ts'

export interface View extends FleetView {
  readonly verbose: boolean
}

const ANSWER_TONES: Readonly<Record<HostAnswer, Tone>> = { drifted: 'bad', undecided: 'warn', compliant: 'good' }

/** Number of items of each kind in the status. */
const SHOWN = 5

interface Judged {
  readonly controls: readonly FleetControl[]
  readonly exit: Exit
  readonly paint: Paint
}

/** Status of the fleet: its verdict, silent hosts, and the worst findings. */
export function showStatus(view: View, { controls, exit, paint }: Judged): string {
  const active = activeOf(view.hosts)
  const missing = active.filter(({ trouble }) => trouble !== undefined)
  const open = controls.filter((control) => hostCount(control, 'drifted') > 0)
  const worst = active.filter(({ answer }) => answer === 'drifted')
  return joinSections([
    [paint('strong', `Fleet of ${countOf(active.length, 'host')} in ${escapeForTerminal(view.name)}`)],
    [...answerLines(exit, paint), ...countLines(view.hosts), ...rosterLines(view)],
    renderList('Unknown hosts', missing, (hosts) => silentRows(hosts, view, paint)),
    view.dropped.length === 0
      ? []
      : [paint('strong', 'Dropped reports'), ...view.dropped.map((line) => `  ${escapeForTerminal(line)}`)],
    renderList('Worst controls', open, (shown) => controlRows(shown, view, paint)),
    renderList('Worst hosts', worst, (hosts) => hostRows(hosts, view, paint)),
  ])

  function renderList<T>(title: string, all: readonly T[], rows: (shown: readonly T[]) => readonly string[]): string[] {
    if (all.length === 0) return []
    const shown = view.verbose ? all : all.slice(0, SHOWN)
    const more = all.length - shown.length
    const rest = more === 0 ? [] : [`  and ${more} more; -v lists them`]
    return [paint('strong', title), ...rows(shown).map((line) => `  ${line}`), ...rest]
  }
}

function answerLines({ code, reasons }: Exit, paint: Paint): readonly string[] {
  if (code === EXIT.ok) return [paint('good', 'Compliant: all hosts report and comply'), ...reasons]
  return [paint('bad', `Not compliant: ${reasons.join('; ')}`)]
}

function countLines(hosts: readonly FleetHost[]): readonly string[] {
  const active = activeOf(hosts)
  const answers = ANSWERS.map((each) => [active.filter(({ answer }) => answer === each).length, each] as const)
  const presences = PRESENCES.map((each) => [hosts.filter(({ presence }) => presence === each).length, each] as const)
  return [`${countOf(active.length, 'host')}: ${inWords(answers)}`, `presence: ${inWords(presences)}`]
}

function inWords(counts: readonly (readonly [number, string])[]): string {
  const found = counts.filter(([count]) => count > 0)
  return found.length === 0 ? 'none' : found.map(([count, word]) => `${count} ${word}`).join(', ')
}

function rosterLines({ hosts, hasRoster }: View): readonly string[] {
  if (!hasRoster) return ['no roster: missing hosts are not detected (set --roster)']
  const strangers = hosts.filter(({ isListed }) => !isListed).length
  return strangers === 0 ? [] : [`${countOf(strangers, 'host')} not in the roster`]
}

/** One line per host, most severe first. */
export function showHosts(view: View, paint: Paint): string {
  return joinSections([hostRows(view.hosts, view, paint)])
}

function hostRows(hosts: readonly FleetHost[], { nowMs }: View, paint: Paint): readonly string[] {
  const header = ['host', 'answer', 'presence', 'heard', 'drifted'].map((text): Cell => ({ text, tone: 'dim' }))
  return rowsOf(
    [
      header,
      ...hosts.flatMap((host): readonly (readonly Cell[])[] => [
        [
          { text: escapeForTerminal(host.name), tone: 'strong' },
          host.presence === 'retired' ? { text: '-' } : { text: host.answer, tone: ANSWER_TONES[host.answer] },
          { text: host.presence, tone: toneOf(host.presence) },
          { text: agoOf(host.heardAtMs, nowMs) },
          { text: driftWords(host) },
        ],
        ...machineRows(host, nowMs),
      ]),
    ],
    paint,
  )
}

/** Machines that report as one host, each with its last result. */
function machineRows({ name, machines = [] }: FleetHost, nowMs: number): readonly (readonly Cell[])[] {
  return machines.map(({ heardAtMs, drifted, undecided, bootId }, at) => [
    { text: escapeForTerminal(`  ${name}, machine ${at + 1}`) },
    { text: '' },
    { text: '' },
    { text: agoOf(heardAtMs, nowMs) },
    { text: escapeForTerminal(`${drifted ?? 0} drifted, ${undecided ?? 0} unknown; boot ${bootId ?? 'unknown'}`) },
  ])
}

function driftWords({ drifts, trouble, isListed }: FleetHost): string {
  const counts = SEVERITIES.toReversed().map((severity) => [drifts[severity], severity] as const)
  const remarks = [
    inWords(counts),
    ...(trouble === undefined ? [] : [trouble]),
    ...(isListed ? [] : ['not in the roster']),
  ]
  return escapeForTerminal(remarks.join('; '))
}

/** One line per control, worst first, followed by the affected hosts. */
export function showControls(view: View, { controls, paint }: Omit<Judged, 'exit'>): string {
  const isWrong = (control: FleetControl): boolean =>
    hostCount(control, 'drifted') + hostCount(control, 'undecided') > 0
  const shown = view.verbose ? controls : controls.filter(isWrong)
  const rest = controls.length - shown.length
  return joinSections([
    shown.length === 0 ? [] : controlRows(shown, view, paint),
    rest === 0
      ? []
      : [`${countOf(rest, 'control or resource', 'controls and resources')} compliant on all hosts; -v lists them`],
  ])
}

function controlRows(controls: readonly FleetControl[], { nowMs, verbose }: View, paint: Paint): readonly string[] {
  const header = ['severity', 'control', 'drifted', 'undecided', 'met', 'open for', 'where'].map((text): Cell => ({
    text,
    tone: 'dim',
  }))
  return rowsOf(
    [
      header,
      ...controls.map((control): readonly Cell[] => [
        { text: control.severity, tone: SEVERITY_TONES[control.severity] },
        { text: escapeForTerminal(`${control.policy}: ${control.name}`), tone: 'strong' },
        { text: String(hostCount(control, 'drifted')) },
        { text: String(hostCount(control, 'undecided')) },
        { text: String(hostCount(control, 'met')) },
        { text: agoOf(control.openSinceMs, nowMs) },
        { text: hostNames(control.hosts.drifted ?? control.hosts.undecided ?? [], verbose) },
      ]),
    ],
    paint,
  )
}

function hostNames(names: readonly string[], verbose: boolean): string {
  const shown = verbose ? names : names.slice(0, SHOWN)
  const more = names.length - shown.length
  return `${shown.map(escapeForTerminal).join(', ')}${more > 0 ? `, ${more} more` : ''}`
}

/** Hosts with an unknown state, and late ones. */
export function showSilent(view: View, paint: Paint): string {
  const missing = activeOf(view.hosts).filter(({ trouble, presence }) => trouble !== undefined || presence === 'late')
  if (missing.length === 0) return joinSections([[paint('good', 'All hosts report'), ...rosterLines(view)]])
  return joinSections([silentRows(missing, view, paint), rosterLines(view)])
}

function silentRows(hosts: readonly FleetHost[], { nowMs }: View, paint: Paint): readonly string[] {
  return rowsOf(
    hosts.map((host): readonly Cell[] => [
      { text: escapeForTerminal(host.name), tone: 'strong' },
      { text: host.presence, tone: toneOf(host.presence) },
      { text: host.heardAtMs === undefined ? 'never reported' : `reported ${agoOf(host.heardAtMs, nowMs)} ago` },
      { text: escapeForTerminal(host.trouble ?? `should report every ${spanWords(host.intervalMs)}`) },
    ]),
    paint,
  )
}

/** Decision of the gate, with reasons. */
export function showGate({ hosts }: View, { exit: { code, reasons }, paint }: Omit<Judged, 'controls'>): string {
  const count = countOf(activeOf(hosts).length, 'host')
  return joinSections([
    [paint(code === EXIT.ok ? 'good' : 'bad', `${count}, exit ${code}`), ...reasons.map((each) => `  ${each}`)],
  ])
}

function rowsOf(rows: readonly (readonly Cell[])[], paint: Paint): readonly string[] {
  return tableRows(rows, { firstNumber: Infinity, paint }).map((line) => line.trimEnd())
}

function toneOf(presence: Presence): Tone {
  if (isUnheard(presence)) return 'bad'
  return presence === 'reporting' ? 'good' : presence === 'retired' ? 'dim' : 'warn'
}

/** Relative time; a dash if absent. */
function agoOf(timeMs: number | undefined, nowMs: number): string {
  return timeMs === undefined ? '-' : spanWords(nowMs - timeMs)
}
