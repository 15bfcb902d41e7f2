import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadPolicy, renderReport, scan } from 'driftgate'
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

test('a password is a secret by the name of its directive', async () => {
  const { target, root, remove } = await testTarget({ files: { '/etc/redis/redis.conf': 'requirepass hunter2\n' } })
  const policy = 'ccm: { resources: [ { acme.redis_setting: [ { requirepass: { value: swordfish } } ] } ] }\n'
  writeFileSync(join(root, 'policy.yaml'), policy)
  const loaded = await loadPolicy(join(root, 'policy.yaml'), { types: [redisSetting] })
  assert.ok(loaded.ok)
  const report = await renderReport(await scan(loaded.value, { target }), 'json')
  assert.match(report, /drifted/)
  assert.doesNotMatch(report, /hunter2|swordfish/)
  await remove()
})

test('a machine without Redis is not applicable', async () => {
  assert.equal(await audit({}, 'bind', '127.0.0.1'), 'not-applicable')
})
