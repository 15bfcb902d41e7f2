import { whyNoDay } from '../../model/calendar.ts'

/** A field of a waiver, for the reader, the editor schema and messages. */
export interface Field {
  readonly description: string
  readonly examples: readonly string[]
  readonly isRequired?: boolean
  /** The problem of a non-empty text, to follow the name of the field; undefined if it is valid. */
  readonly complain?: (text: string) => string | undefined
  /** Whether it is prose and may have several lines, which are joined. */
  readonly isProse?: boolean
}

/** The fields of a waiver, in their usual order. */
export const FIELDS = {
  id: {
    description: 'The id of the waiver in reports. Unique among the waivers of a run.',
    examples: ['legacy-motd', 'OPS-1203'],
    isRequired: true,
    complain: spaceProblem,
  },
  resource: {
    description: 'The resources it is for, as type#name or type#alias, exact or with * and ?. Either this or control.',
    examples: ['file#/etc/motd', 'file#/srv/legacy/*'],
    complain: (text) => spaceProblem(text) ?? noResource(text),
  },
  control: {
    description: 'The controls whose resources it is for, by their id, exact or with * and ?. Either this or resource.',
    examples: ['ssh-1.1', 'ssh-1.*'],
    complain: (text) => spaceProblem(text) ?? noControl(text),
  },
  property: {
    description: 'The only property it accepts drift of, exact or with * and ?. By default every property.',
    examples: ['mode', 'content'],
    complain: spaceProblem,
  },
  host: {
    description: 'The names of the hosts it is for, exact or with * and ?. By default every host.',
    examples: ['web01', 'web*'],
    complain: spaceProblem,
  },
  value: {
    description:
      'The observed value it accepts, as reports show it; of contents their sha256, of a secret its digest. With another value it lapses. Needs property.',
    examples: ['0664', 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  },
  reason: {
    description: 'Why the drift is accepted.',
    examples: ['the vendor rewrites it at each start'],
    isRequired: true,
    isProse: true,
  },
  approver: { description: 'The approver.', examples: ['Ada Lovelace'], isRequired: true, isProse: true },
  ticket: { description: 'A reference to more information.', examples: ['OPS-1203'], isProse: true },
  created: { description: 'The day it was written.', examples: ['2026-11-20'], complain: noDay },
  expires: {
    description: 'The last day it is in force, to its end in UTC.',
    examples: ['2026-12-31'],
    isRequired: true,
    complain: noDay,
  },
} as const satisfies Readonly<Record<string, Field>>

export type FieldName = keyof typeof FIELDS

export const FIELD_NAMES: readonly FieldName[] = Object.keys(FIELDS).filter(isFieldName)

export function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name)
}

/** A resource in a waiver: a type, which may be a glob, and a name. */
export const RESOURCE_PATTERN = '^[A-Za-z0-9_.*?-]+#.+$'

function spaceProblem(text: string): string | undefined {
  return text.trim() === text ? undefined : 'must not start or end with a space'
}

function noResource(text: string): string | undefined {
  if (new RegExp(RESOURCE_PATTERN, 's').test(text)) return undefined
  return `must be type#name, such as file#/etc/motd, found ${JSON.stringify(text)}`
}

function noControl(text: string): string | undefined {
  if (!text.includes('#')) return undefined
  return `must be the id of a control, found ${JSON.stringify(text)}: a resource is given with "resource"`
}

function noDay(text: string): string | undefined {
  const reason = whyNoDay(text)
  return reason === undefined ? undefined : `cannot be ${JSON.stringify(text)}: ${reason}`
}
