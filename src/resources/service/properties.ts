import type { PropertiesOf, Rule } from '../../core/property.ts'
import { unitKind, unitName } from '../../target/unit-name.ts'
import { defineProperties } from '../../resource-type/define.ts'

/** What a policy may say about a service. */
export const serviceProperties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'Name of the unit; without a type it is a `.service`. An alias stands for its unit, `getty@tty1` for an instance of a template.',
  },
  ensure: {
    kind: 'text',
    default: 'running',
    oneOf: ['running', 'stopped'],
    phase: 'early',
    summary: 'Whether the service must be running now.',
  },
  enable: {
    kind: 'boolean',
    summary: 'Whether the service must start with the system. Not managed where it is absent.',
  },
})

/** The settled properties of one service resource. */
export type ServiceProperties = PropertiesOf<typeof serviceProperties>

/** Conditions a name must meet. */
export const serviceRules: readonly Rule<ServiceProperties>[] = [
  { reads: ['name'], at: 'name', check: ({ name }) => (name === undefined ? undefined : serviceNameProblem(name)) },
]

const DANGEROUS = /[;&|$`()[\]{}<>*?'"\\!\n\t\r]/
const ALLOWED = /^[A-Za-z0-9._+:~@-]+$/

/** Why a text cannot be the name of a service, or undefined. */
export function serviceNameProblem(name: string): string | undefined {
  const quoted = JSON.stringify(name)
  if (DANGEROUS.test(name)) return `service name contains dangerous characters: ${quoted}`
  if (!ALLOWED.test(name)) {
    return `service name contains invalid characters: ${quoted} (allowed: alphanumeric, ._+:~@-)`
  }
  if (name.startsWith('-')) return `service name ${quoted} starts with a dash, like an option`
  switch (unitKind(unitName(name))) {
    case undefined:
      return `no unit can be named ${quoted}`
    case 'template':
      return `${quoted} is a template and cannot run; name an instance of it, such as "getty@tty1"`
    case 'plain':
    case 'instance':
      return undefined
  }
}
