import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'vitest'
import { archive } from '../../../src/subjects/archives/index.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { serve } from '../../support/web-server.ts'
import { put, SELF } from '../../support/contract.ts'

const scenes: readonly ContractScene[] = [
  {
    title: 'an archive that is missing',
    state: 'fixable',
    async arrange(directory) {
      const { origin } = await serve((_request, response) => response.end('PK'))
      return { name: join(directory, 'a.zip'), ensure: 'present', url: `${origin}/a.zip`, ...SELF }
    },
  },
  {
    title: 'an archive that is there',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'a.zip': 'PK' })
      return { name: join(directory, 'a.zip'), ensure: 'present', url: 'http://127.0.0.1:9/a.zip', ...SELF }
    },
  },
  {
    title: 'an archive that was unpacked',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'a.zip': 'PK', 'out/done': '' })
      return {
        name: join(directory, 'a.zip'),
        ensure: 'present',
        url: 'http://127.0.0.1:9/a.zip',
        checksum: createHash('sha256').update('PK').digest('hex'),
        extract_parent: join(directory, 'out'),
        creates: join(directory, 'out/done'),
        ...SELF,
      }
    },
  },
  {
    title: 'an archive that has to be gone',
    state: 'fixable',
    arrange(directory) {
      put(directory, { 'a.zip': 'PK' })
      return { name: join(directory, 'a.zip'), ensure: 'absent', url: 'http://127.0.0.1:9/a.zip', ...SELF }
    },
  },
]

for (const { name, run } of contractTests(archive, { scenes })) test(name, run)
