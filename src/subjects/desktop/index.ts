import { defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { runChange } from '../shared/run-change.ts'
import { type DconfAction, decideDconf } from './decide.ts'
import { observeDconf } from './observe.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    summary:
      'The directory of the databases, `/etc/dconf/db`. Each database with a directory of keyfiles (`local.d` for `local`) must be at least as new as the last change in that directory, locks included.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    parameter: true,
    summary: 'Verdict if the directory does not exist.',
  },
})

export const dconfDatabases: ResourceType = defineResource({
  type: 'dconf_databases',
  summary:
    'dconf databases: whether they are compiled from the current keyfiles, because programs read only the databases.',
  properties,
  drifts: ['ensure', 'compiled'],
  neverSecret: ['ensure', 'compiled'],
  examples: [
    {
      title: 'Keyfiles take effect',
      yaml: `
        dconf_databases:
          - /etc/dconf/db:
              if_absent: compliant`,
    },
  ],
  platforms: ['linux'],
  observe: observeDconf,
  decide: decideDconf,
  apply: (remediator, _wanted, { directory }: DconfAction, { signal }) =>
    runChange(remediator, ['dconf', 'update', directory], signal, {
      undo: { kind: 'files', paths: [directory] },
    }),
})
