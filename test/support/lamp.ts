import type { Obstacle } from '../../src/model/decision.ts'
import { absent, type Observation, present, unknown } from '../../src/model/observation.ts'
import { defineProperties, defineResource, type ResourceType } from '../../src/resource-type/define.ts'

export interface Lamp {
  state: 'on' | 'off' | 'gone' | 'locked'
  /** Switching it fails with this message. */
  jammed?: string
  /** Switching it reports success without doing anything. */
  lies?: boolean
  /** Observing it throws: a defect of the type. */
  broken?: boolean
  obstacles?: readonly Obstacle[]
  warns?: string
  /** Why its label stays as it is whatever is switched. */
  engraved?: string
  /** One property can be read, another cannot. */
  dim?: boolean
  /** Lamps that switching this one switches off. */
  darkens?: readonly string[]
  switched: number
  /** How often it was observed, where that is counted. */
  observed?: number
}

const properties = defineProperties({
  name: { kind: 'text', summary: 'The lamp.', required: true },
  ensure: { kind: 'text', summary: 'How it shines.', oneOf: ['on', 'off'], required: true },
  label: { kind: 'text', summary: 'What is written on it.' },
})

/** A resource type over lamps that live in memory: a machine a test can hold in its hand. */
export function lampType(lamps: Record<string, Lamp>): ResourceType {
  const lampOf = (name: string): Lamp => lamps[name] ?? { state: 'gone', switched: 0 }
  return defineResource({
    type: 'lamp',
    summary: 'A lamp.',
    properties,
    subscribes: true,
    drifts: ['ensure', 'label'],
    neverSecret: ['ensure'],
    examples: [],
    providers: [
      {
        name: 'hand',
        platforms: ['linux'],
        observe(_target, { name }): Observation<Lamp> {
          const lamp = lampOf(name)
          if (lamp.observed !== undefined) lamp.observed++
          if (lamp.broken === true) throw new TypeError('lamp.glow is not a function')
          if (lamp.state === 'locked') return unknown('permission-denied', `${name} is behind a locked door`)
          return lamp.state === 'gone' ? absent() : present(lamp)
        },
        async apply(_remediator, { name }, action: 'on' | 'off') {
          const lamp = lampOf(name)
          lamp.switched++
          if (lamp.jammed !== undefined) return { kind: 'failed', message: lamp.jammed }
          if (lamp.lies !== true) lamp.state = action
          for (const other of lamp.darkens ?? []) lampOf(other).state = 'off'
          return { kind: 'done' }
        },
      },
    ],
    decide({ name, ensure, label }, observed, { subscribed }) {
      const lamp = lampOf(name)
      const state = observed.kind === 'absent' ? 'absent' : observed.state.state
      const drift = [
        ...(state === ensure ? [] : [{ property: 'ensure', desired: ensure, observed: state }]),
        ...(label === undefined ? [] : [{ property: 'label', desired: label, observed: 'plain' }]),
      ]
      const unread =
        lamp.dim === true ? [{ property: 'label', reason: 'not-observable' as const, detail: 'too dark' }] : []
      const relit = drift.length === 0 && subscribed && state === 'on'
      const text = relit ? 'Would have switched on again via subscribe' : `Would have switched ${ensure}`
      const leaves = lamp.engraved === undefined ? {} : { leaves: [{ reason: lamp.engraved }] as const }
      return {
        ensure: { desired: ensure, observed: state },
        drift,
        unknown: unread,
        ...(lamp.warns !== undefined && { warnings: [lamp.warns] }),
        plan:
          drift.length === 0 && !relit && lamp.obstacles === undefined
            ? { kind: 'none' }
            : { kind: 'act', action: ensure, text, obstacles: lamp.obstacles ?? [], ...leaves },
      }
    },
    provides: ({ name }) => [`/lamps/${name}`],
  })
}

export function lamp(state: Lamp['state'], extra: Partial<Lamp> = {}): Lamp {
  return { state, switched: 0, ...extra }
}
