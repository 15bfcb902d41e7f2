import type { PropertiesOf } from '../../model/property.ts'
import { defineChild, defineProperties, type ResourceType } from '../../resource-type/define.ts'

/** What a policy may say about a child manifest. */
const properties = defineProperties({
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
    summary: "Data merged over the manifest's own data, instead of all data of this policy.",
  },
  noop: {
    kind: 'boolean',
    default: false,
    phase: 'never',
    parameter: true,
    summary: 'Only audits the manifest, even in a fix. Manifests below cannot override this.',
  },
  health_check_only: {
    kind: 'boolean',
    default: false,
    phase: 'never',
    parameter: true,
    summary: 'Only runs the health checks of the manifest. Manifests below cannot override this.',
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
export type ApplyProperties = PropertiesOf<typeof properties>

export const apply: ResourceType = defineChild({
  type: 'apply',
  summary: 'A child manifest: its resources are evaluated here, and the resource has the worst of their verdicts.',
  properties,
  rules: [
    {
      reads: ['name'],
      at: 'name',
      // What CCM takes for a URL: everything with a scheme.
      check: ({ name = '' }) => (/^[a-z][a-z\d+.-]*:/i.test(name) ? 'name must be a file path, not a URL' : undefined),
    },
  ],
  drifts: ['resources'],
  neverSecret: ['resources'],
  examples: [
    {
      title: 'A manifest next to the policy, with all data of the policy',
      yaml: `
        apply:
          - ssh/manifest.yaml:`,
    },
    {
      title: 'A manifest with its own data that must not apply others',
      yaml: `
        apply:
          - sites/manifest.yaml:
              allow_apply: false
              data:
                port: 8443
                admins: [alice]`,
    },
    {
      title: 'A manifest that is only audited, even when the policy is fixed',
      yaml: `
        apply:
          - legacy/manifest.yaml:
              noop: true`,
    },
  ],
  provider: 'ccmmanifest',
})
