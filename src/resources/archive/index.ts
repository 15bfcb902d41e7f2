import { dirname } from 'node:path'
import { defineResource, type ResourceType } from '../../resource-type/define.ts'
import { decideArchive } from './decide.ts'
import { archiveExports, exportsOfArchive } from './exports.ts'
import { http } from './http.ts'
import { isSet } from '../../core/property.ts'
import { type ArchiveProperties, archiveProperties, archiveRules } from './properties.ts'

/** Archives that are downloaded and unpacked. */
export const archive: ResourceType = defineResource({
  type: 'archive',
  summary: 'Archives downloaded from web servers: the file itself, and what is unpacked from it.',
  properties: archiveProperties,
  rules: archiveRules,
  exports: archiveExports,
  drifts: ['ensure', 'creates', 'owner', 'group', 'checksum', 'cleanup'],
  examples: [
    {
      title: 'An application that is downloaded, unpacked and cleaned up',
      yaml: [
        'archive:',
        '  - /var/cache/app-1.4.2.tar.gz:',
        '      ensure: present',
        '      url: https://releases.example.com/app-1.4.2.tar.gz',
        '      checksum: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        '      extract_parent: /opt/app',
        '      creates: /opt/app/app-1.4.2/bin/app',
        '      cleanup: true',
        '      owner: root',
        '      group: root',
      ].join('\n'),
    },
    {
      title: 'An archive that is only downloaded, from a server that wants a token',
      yaml: [
        'archive:',
        '  - /srv/mirror/tools.zip:',
        '      ensure: present',
        '      url: https://artifacts.example.com/tools.zip',
        '      headers:',
        "        Authorization: \"Bearer {{ lookup('data.token', '') }}\"",
        '      timeout: 10m',
        '      max_size: 500MB',
        '      owner: root',
        '      group: root',
      ].join('\n'),
    },
    {
      title: 'An archive that must be gone',
      yaml: [
        'archive:',
        '  - /tmp/installer.zip:',
        '      ensure: absent',
        '      url: https://releases.example.com/installer.zip',
        '      owner: root',
        '      group: root',
      ].join('\n'),
    },
  ],
  providers: [http],
  decide: decideArchive,
  exportsOf: exportsOfArchive,
  provides,
})

/** The file unless it is cleaned up, what it creates, and the directory it is unpacked into with its parents. */
function provides({ name, ensure, creates, cleanup, extract_parent: parent }: ArchiveProperties): readonly string[] {
  if (ensure === 'absent') return []
  const paths = [...(cleanup ? [] : [name]), ...(isSet(creates) ? [creates] : [])]
  if (!isSet(parent)) return paths
  for (let path = parent; path !== dirname(path); path = dirname(path)) paths.push(path)
  return paths
}
