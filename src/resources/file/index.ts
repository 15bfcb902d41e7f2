import { dirname } from 'node:path'
import { defineResource, type HintContext, type ResourceType } from '../../resource-type/define.ts'
import { decideFile } from './decide.ts'
import { exportsOfFile, fileExports, fileStatus } from './exports.ts'
import { posix } from './posix.ts'
import { type FileProperties, fileProperties, fileRules } from './properties.ts'

/** Files and directories: existence, content, owner, group and permissions. */
export const file: ResourceType = defineResource({
  type: 'file',
  summary: 'Files and directories: existence, content, owner, group and permissions.',
  properties: fileProperties,
  rules: fileRules,
  exports: fileExports,
  status: fileStatus,
  drifts: ['ensure', 'content', 'owner', 'group', 'mode'],
  examples: [
    {
      title: 'A file with inline content',
      yaml: [
        'file:',
        '  - /etc/motd:',
        '      ensure: present',
        '      content: |',
        '        Authorised use only.',
        '      owner: root',
        '      group: root',
        '      mode: "0644"',
      ].join('\n'),
    },
    {
      title: 'A copy of a file that lies beside the policy',
      yaml: [
        'file:',
        '  - /etc/app/config.yaml:',
        '      ensure: present',
        '      source: files/config.yaml',
        '      owner: app',
        '      group: app',
        '      mode: "0640"',
      ].join('\n'),
    },
    {
      title: 'Only owner, group and mode of a file that has to be there; nothing is made up for it',
      yaml: [
        'file:',
        '  - /etc/shadow:',
        '      ensure: present',
        '      if_absent: drift',
        '      owner: root',
        '      group: shadow',
        '      mode: "0640"',
      ].join('\n'),
    },
    {
      title: 'A directory',
      yaml: [
        'file:',
        '  - /etc/cron.d:',
        '      ensure: directory',
        '      owner: root',
        '      group: root',
        '      mode: "0700"',
      ].join('\n'),
    },
    {
      title: 'A path that must not exist, even if it is a directory with entries',
      yaml: ['file:', '  - /var/lib/legacy-app:', '      ensure: absent', '      force: true'].join('\n'),
    },
  ],
  providers: [posix],
  decide: decideFile,
  exportsOf: exportsOfFile,
  provides,
  hint,
})

/** A directory comes with all its parents; a file is only itself. */
function provides({ name, ensure, if_absent: ifAbsent }: FileProperties): readonly string[] {
  if (ensure === 'absent' || ifAbsent !== 'create') return []
  if (ensure === 'present') return [name]
  const paths = [name]
  for (let path = dirname(name); path !== dirname(path); path = dirname(path)) paths.push(path)
  return paths
}

/** A baseline that is given to a fix must not invent the files it is about. */
function hint(given: Readonly<Record<string, unknown>>, { hasControls }: HintContext): string | undefined {
  const { ensure, content, source, if_absent: ifAbsent } = given
  const hasContent = content !== undefined || (source !== undefined && source !== '')
  if (!hasControls || ensure !== 'present' || hasContent || ifAbsent !== undefined) return undefined
  return "where nothing is there a fix creates an empty file: say 'if_absent: drift', 'compliant', or 'create' if that is meant"
}
