import { dirname } from 'node:path'
import { defineResource, type ResourceType } from '../../resource-type/define.ts'
import { choria } from './choria.ts'
import { decideScaffold } from './decide.ts'
import { exportsOfScaffold, scaffoldExports } from './exports.ts'
import { type ScaffoldProperties, scaffoldProperties, scaffoldRules } from './properties.ts'

/** Directories rendered from templates. */
export const scaffold: ResourceType = defineResource({
  type: 'scaffold',
  summary: 'Directories rendered from templates: which files there are and what they contain.',
  properties: scaffoldProperties,
  rules: scaffoldRules,
  exports: scaffoldExports,
  drifts: ['content', 'ensure'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'The configuration of an application, and nothing else in its directory',
      yaml: [
        'scaffold:',
        '  - /etc/app:',
        '      ensure: present',
        '      source: templates/app',
        '      engine: jet',
        '      purge: true',
      ].join('\n'),
    },
    {
      title: 'Go templates with their own delimiters',
      yaml: [
        'scaffold:',
        '  - /etc/myservice:',
        '      ensure: present',
        '      source: templates/myservice',
        '      engine: go',
        '      left_delimiter: "<<"',
        '      right_delimiter: ">>"',
      ].join('\n'),
    },
    {
      title: 'Own data, no empty files, and a check of what a fix has written',
      yaml: [
        'scaffold:',
        '  - /etc/sudoers.d:',
        '      ensure: present',
        '      source: templates/sudoers',
        '      skip_empty: true',
        '      data:',
        '        admins: [alice, bob]',
        '      post:',
        '        - "*": visudo -c -f {}',
      ].join('\n'),
    },
    {
      title: 'Rendered files that must be gone; other files in the directory stay',
      yaml: ['scaffold:', '  - /etc/legacy:', '      ensure: absent', '      source: templates/legacy'].join('\n'),
    },
  ],
  providers: [choria],
  decide: decideScaffold,
  exportsOf: exportsOfScaffold,
  provides,
})

/** The target comes with all its parents; what is rendered into it is only known later. */
function provides({ name, ensure }: ScaffoldProperties): readonly string[] {
  if (ensure === 'absent') return []
  const paths = [name]
  for (let path = dirname(name); path !== dirname(path); path = dirname(path)) paths.push(path)
  return paths
}
