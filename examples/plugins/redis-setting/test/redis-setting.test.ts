import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditResource, testTarget } from 'driftgate/testing'
import { redisSetting } from '../src/index.ts'

const CONFIG = '# hello\nport 6379\nBIND 0.0.0.0\nbind 127.0.0.1 -::1\n'

/** What an audit says of the directive on a machine with these files. */
async function audit(files: Readonly<Record<string, string>>, name: string, value: unknown): Promise<string> {
  const { target, root, remove } = await testTarget({ files })
  const { verdict, drift } = await auditResource(redisSetting, { name, value }, { target, workingDirectory: root })
  await remove()
  return [verdict, ...drift.map(({ property, observed }) => `${property} ${String(observed)}`)].join(', ')
}

const files = { '/etc/redis/redis.conf': CONFIG }

test('the last directive counts', async () => {
  assert.equal(await audit(files, 'bind', '127.0.0.1 -::1'), 'compliant')
  assert.equal(await audit(files, 'bind', { not_matches: '.*127.*' }), 'drifted, value 127.0.0.1 -::1')
})

test('a directive that is not there drifts', async () => {
  assert.equal(await audit(files, 'protected-mode', 'yes'), 'drifted, ensure absent')
})

test('a machine without Redis is none of its business', async () => {
  assert.equal(await audit({}, 'bind', '127.0.0.1'), 'not-applicable')
})
