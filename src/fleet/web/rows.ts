import { spanWords } from '../../model/span-words.ts'
import type { FleetHost } from '../census.ts'
import { type FleetControl, hostCount } from '../controls.ts'
import { type Markup, markup } from '../../report/words/markup.ts'
import {
  renderAge,
  answerLabel,
  type Column,
  controlLink,
  groupDigits,
  hostLink,
  presenceLabel,
  severities,
  severityLabel,
  table,
} from './pieces.ts'

export function hostTable(caption: string, hosts: readonly FleetHost[], nowMs: number): Markup {
  return table(
    caption,
    [
      { label: 'Host', kind: 'name', cell: ({ name, labels }) => markup`${hostLink(name)}${labelsOf(labels)}` },
      { label: 'Answer', cell: answerLabel },
      { label: 'Presence', cell: ({ presence }) => presenceLabel(presence) },
      { label: 'Last report', cell: ({ heardAtMs }) => renderAge(heardAtMs, nowMs, ' ago') },
      { label: 'Drifted', cell: driftCell },
    ],
    hosts,
  )
}

function driftCell(host: FleetHost): Markup {
  const { trouble, machines, isListed, drifts } = host
  const several = machines && `shown as ${machines.length} machines on its page`
  const remarks = [trouble, several, isListed ? undefined : 'not in the roster'].filter(
    (remark) => remark !== undefined,
  )
  return markup`${severities(drifts)}${remarks.map((remark) => markup`<small class="remark">${remark}</small>`)}`
}

export function labelsOf(labels: FleetHost['labels']): Markup | undefined {
  const entries = Object.entries(labels)
  if (entries.length === 0) return undefined
  return markup`<small class="labels">${entries.map(([key, value]) => markup`<span>${key}=${value}</span> `)}</small>`
}

/** Table of missing hosts, with the consequence for each. */
export function missingTable(caption: string, hosts: readonly FleetHost[], nowMs: number): Markup {
  return table(
    caption,
    [
      { label: 'Host', kind: 'name', cell: ({ name, labels }) => markup`${hostLink(name)}${labelsOf(labels)}` },
      { label: 'Presence', cell: ({ presence }) => presenceLabel(presence) },
      {
        label: 'Last report',
        cell: ({ heardAtMs }) => (heardAtMs === undefined ? 'never' : renderAge(heardAtMs, nowMs, ' ago')),
      },
      {
        label: 'Why',
        cell: ({ trouble, intervalMs }) => trouble ?? `it should report every ${spanWords(intervalMs)}`,
      },
    ],
    hosts,
  )
}

const COUNTED = { drifted: 'Drifted', undecided: 'Unknown', met: 'Compliant' } as const

/** Table of controls and resources across all hosts. */
export function controlTable(caption: string, controls: readonly FleetControl[], nowMs: number): Markup {
  const counted = (standing: 'drifted' | 'undecided' | 'met'): Column<FleetControl> => ({
    label: COUNTED[standing],
    kind: 'number',
    cell: (control) => groupDigits(hostCount(control, standing)),
  })
  return table(
    caption,
    [
      {
        label: 'Control',
        kind: 'name',
        cell: (control) =>
          markup`${controlLink(control)}${control.title !== undefined && markup`<small class="remark">${control.title}</small>`}`,
      },
      { label: 'Severity', cell: ({ severity }) => severityLabel(severity) },
      { label: 'Policy', cell: ({ policy }) => policy },
      counted('drifted'),
      counted('undecided'),
      counted('met'),
      { label: 'Open for', cell: ({ openSinceMs }) => renderAge(openSinceMs, nowMs) },
    ],
    controls,
  )
}
