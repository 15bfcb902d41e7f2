import { defineResource, type ResourceType } from '../../resource-type/define.ts'
import { decideService } from './decide.ts'
import { exportsOfService, serviceExports, serviceStatus } from './exports.ts'
import { serviceProperties, serviceRules } from './properties.ts'
import { announceServices, systemd } from './systemd.ts'

/** Services: whether they run, and whether they start with the system. */
export const service: ResourceType = defineResource({
  type: 'service',
  summary: 'Services: whether they run, and whether they start with the system.',
  properties: serviceProperties,
  rules: serviceRules,
  exports: serviceExports,
  status: serviceStatus,
  subscribes: true,
  drifts: ['ensure', 'enable'],
  neverSecret: ['ensure', 'enable'],
  examples: [
    {
      title: 'A service that runs and starts with the system',
      yaml: ['service:', '  - ssh:', '      ensure: running', '      enable: true'].join('\n'),
    },
    {
      title: 'A service that must neither run nor start with the system',
      yaml: ['service:', '  - avahi-daemon:', '      ensure: stopped', '      enable: false'].join('\n'),
    },
    {
      title: 'An instance of a template',
      yaml: ['service:', '  - getty@tty1:', '      ensure: running'].join('\n'),
    },
  ],
  providers: [systemd],
  decide: decideService,
  exportsOf: exportsOfService,
  announce: announceServices,
})
