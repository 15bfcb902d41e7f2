import { defineChild, type ResourceType } from '../../resource-type/define.ts'
import { applyProperties, applyRules } from './properties.ts'

/** Child manifests. */
export const apply: ResourceType = defineChild({
  type: 'apply',
  summary:
    'A child manifest: its resources are evaluated here, and the worst of their verdicts is that of the resource.',
  properties: applyProperties,
  rules: applyRules,
  drifts: ['resources'],
  neverSecret: ['resources'],
  examples: [
    {
      title: 'A manifest beside the policy, which sees all data of the policy',
      yaml: ['apply:', '  - ssh/manifest.yaml:'].join('\n'),
    },
    {
      title: 'A manifest that gets data of its own and may not apply others',
      yaml: [
        'apply:',
        '  - sites/manifest.yaml:',
        '      allow_apply: false',
        '      data:',
        '        port: 8443',
        '        admins: [alice]',
      ].join('\n'),
    },
    {
      title: 'A manifest that is only audited, also where the policy is fixed',
      yaml: ['apply:', '  - legacy/manifest.yaml:', '      noop: true'].join('\n'),
    },
  ],
  provider: 'ccmmanifest',
})
