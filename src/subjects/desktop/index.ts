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
      'The directory in which the databases lie, `/etc/dconf/db`. Each that has a directory of keyfiles (`local.d` of `local`) has to be at least as new as the last change of anything in that, locks included.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    parameter: true,
    summary: 'What it is if there is no such directory.',
  },
})

export const dconfDatabases: ResourceType = defineResource({
  type: 'dconf_databases',
  summary:
    'Databases of dconf: whether they are made of the keyfiles as they are now, because programs read nothing else.',
  properties,
  drifts: ['ensure', 'compiled'],
  neverSecret: ['ensure', 'compiled'],
  examples: [
    {
      title: 'What keyfiles say counts',
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
