import type { PropertiesOf, Rule } from '../../core/property.ts'
import { defineProperties } from '../../resource-type/define.ts'

/** What a policy may say about a child manifest. */
export const applyProperties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'The path of the manifest, relative to the directory of the policy that applies it.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present'],
    default: 'present',
    phase: 'early',
    summary: 'Always `present`.',
  },
  data: {
    kind: 'map',
    values: { kind: 'any', summary: 'A value.' },
    phase: 'early',
    parameter: true,
    summary: "What is laid over the manifest's own data, in place of all data of this policy.",
  },
  noop: {
    kind: 'boolean',
    default: false,
    phase: 'never',
    parameter: true,
    summary: 'Only audits the manifest, in a fix too. Nothing below can take that back.',
  },
  health_check_only: {
    kind: 'boolean',
    default: false,
    phase: 'never',
    parameter: true,
    summary: 'Only runs the health checks of the manifest. Nothing below can take that back.',
  },
  allow_apply: {
    kind: 'boolean',
    default: true,
    phase: 'never',
    parameter: true,
    summary: 'Whether the manifest may apply others.',
  },
})

/** The settled properties of one apply resource. */
export type ApplyProperties = PropertiesOf<typeof applyProperties>

/** Conditions on the values. */
export const applyRules: readonly Rule<ApplyProperties>[] = [
  {
    reads: ['name'],
    at: 'name',
    // What CCM takes for a URL: everything with a scheme.
    check: ({ name = '' }) => (/^[a-z][a-z\d+.-]*:/i.test(name) ? 'name must be a file path, not a URL' : undefined),
  },
]
