import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ContractScene, contractTests, unseenDrifts } from 'driftgate/testing'
import { hostsEntry } from '../src/index.ts'

const FILE = '127.0.0.1 localhost # this machine\n192.0.2.7 db01 db\n'

function scene(title: string, state: ContractScene['state'], properties: object, name = 'db01'): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      const file = join(directory, 'hosts')
      writeFileSync(file, FILE)
      return { name, file, ...properties }
    },
  }
}

const scenes = [
  scene('a line that is right', 'compliant', { address: '192.0.2.7', aliases: ['db'] }),
  scene('an address that is accepted', 'compliant', { address: { matches: String.raw`192\.0\.2\..*` } }),
  scene('another address', 'fixable', { address: '192.0.2.8' }),
  scene('an alias too many', 'fixable', { address: '192.0.2.7', aliases: { excludes: ['db'] } }),
  scene('a line that is missing', 'fixable', { address: '192.0.2.9' }, 'db02'),
  scene('a line that is left', 'fixable', { ensure: 'absent' }),
]

for (const { name, run } of contractTests(hostsEntry, { scenes })) test(name, run)

test('every difference is in a scene', async () => assert.deepEqual(await unseenDrifts(hostsEntry, { scenes }), []))
