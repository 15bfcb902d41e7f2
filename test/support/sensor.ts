import { absent, type Observation, present, unknown } from '../../src/model/observation.ts'
import { NO_PLAN } from '../../src/model/decision.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../src/resource-type/define.ts'

export interface Sensor {
  /** What it exports; `locked` cannot be read, `gone` is not there. */
  values: Readonly<Record<string, unknown>> | 'locked' | 'gone'
  /** Whether it is what the policy wants. */
  sound?: boolean
  /** What a fix turns its values into; without it a fix changes nothing. */
  fixed?: Readonly<Record<string, unknown>> | 'locked'
  /** Something else is in the way of a fix. */
  obstacle?: string
  /** How often its values were asked for. */
  asked?: number
}

/** Every value of a property that a sensor was given, by its name. */
export type Given = Record<string, Readonly<Record<string, unknown>>>

const properties = defineProperties({
  name: { kind: 'text', summary: 'The sensor.', required: true },
  ensure: { kind: 'text', summary: 'What it is.', default: 'present' },
  label: { kind: 'text', summary: 'What is written on it.' },
  count: { kind: 'integer', summary: 'How many there are.' },
  loud: { kind: 'boolean', summary: 'Whether it beeps.' },
  tags: { kind: 'list', items: { kind: 'text', summary: 'One.' }, summary: 'Words.' },
  data: { kind: 'any', summary: 'Whatever.' },
})

const exports = defineExports({
  text: { kind: 'text', summary: 'A text.' },
  number: { kind: 'integer', summary: 'An integer.' },
  flag: { kind: 'boolean', summary: 'A boolean.' },
  list: { kind: 'list', items: { kind: 'text', summary: 'One.' }, summary: 'A list.' },
  map: { kind: 'map', values: { kind: 'integer', summary: 'One.' }, summary: 'A map.' },
  free: { kind: 'any', summary: 'Anything.' },
  token: { kind: 'text', sensitive: true, summary: 'A secret.' },
  pin: { kind: 'integer', sensitive: true, summary: 'A secret number.' },
})

/** A type over sensors that live in memory, with a value of every kind to export. */
export function sensorType(sensors: Record<string, Sensor>, given: Given = {}): ResourceType {
  const sensorOf = (name: string): Sensor => sensors[name] ?? { values: 'gone' }
  return defineResource({
    type: 'sensor',
    summary: 'A sensor.',
    properties,
    exports,
    subscribes: true,
    drifts: ['label'],
    examples: [],
    providers: [
      {
        name: 'hand',
        observe(_target, desired): Observation<Sensor> {
          given[desired.name] = desired
          const sensor = sensorOf(desired.name)
          if (sensor.values === 'locked') return unknown('permission-denied', `${desired.name} is locked`)
          return sensor.values === 'gone' ? absent() : present(sensor)
        },
        async apply(_remediator, { name }) {
          const sensor = sensorOf(name)
          if (sensor.fixed !== undefined) Object.assign(sensor, { values: sensor.fixed, sound: true })
          return { kind: 'done' }
        },
      },
    ],
    decide({ ensure, label = '' }, observed, { subscribed }) {
      const sensor = observed.kind === 'present' ? observed.state : undefined
      const drifts = sensor?.sound === false || (sensor === undefined && ensure === 'present')
      const obstacles = sensor?.obstacle === undefined ? [] : [{ reason: sensor.obstacle }]
      const isPlanned = drifts || subscribed
      return {
        ensure: { desired: ensure, observed: sensor === undefined ? 'absent' : 'present' },
        drift: drifts ? [{ property: 'label', desired: label, observed: null }] : [],
        unknown: [],
        plan: isPlanned ? { kind: 'act', action: 'set', text: 'Would have set it', obstacles } : NO_PLAN,
      }
    },
    exportsOf({ name }, observed) {
      const sensor = sensorOf(name)
      sensor.asked = (sensor.asked ?? 0) + 1
      return observed.kind === 'absent' || typeof observed.state.values === 'string' ? {} : observed.state.values
    },
  })
}
