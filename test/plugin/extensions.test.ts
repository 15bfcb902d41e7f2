import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  defineFacts,
  definePlugin,
  defineSurface,
  known,
  loadPolicy,
  type LoadPolicyOptions,
  openTarget,
  type Policy,
  scan,
  typesWith,
  unknown,
} from '../../src/index.ts'
import { put } from '../support/contract.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const redis = defineSurface({
  name: 'acme.redis',
  summary: '`/etc/redis/redis.conf`, `/etc/redis/conf.d/*.conf`, `/etc/redis/local.conf`; the last line of a key wins.',
  files: ['/etc/redis/redis.conf', '/etc/redis/conf.d/*.conf', '/etc/redis/local.conf'],
  format: 'space',
  keys: { maxclients: { kind: 'limit', default: '10000' }, daemonize: { switch: ['yes', 'no'], default: 'no' } },
  installed: ['/usr/bin/redis-server'],
})

const site = defineFacts({
  name: 'site',
  summary: 'Where this machine stands.',
  gather({ probe }) {
    const text = probe.readText('/etc/site.json')
    if (text.kind === 'unknown') return text
    if (text.value === null) return unknown('not-observable', 'no /etc/site.json')
    return known(JSON.parse(text.value))
  },
})

const PASSWD = { '/etc/passwd': 'root:x:0:0::/root:/bin/sh\n' }

async function policyOf(resources: readonly unknown[], options: LoadPolicyOptions = {}): Promise<readonly Policy[]> {
  const directory = temporaryDirectory()
  put(directory, { 'policy.json': JSON.stringify({ ccm: { resources } }) })
  const types = await typesWith([definePlugin({ apiVersion: 2, surfaces: [redis] })])
  const loaded = await loadPolicy(join(directory, 'policy.json'), { types, ...options })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  return loaded.value
}

/** The results of these resources below a root with these files, and the directory of the root. */
async function results(files: Readonly<Record<string, string>>, resources: readonly unknown[], fix = false) {
  const root = temporaryDirectory()
  put(root, Object.fromEntries(Object.entries({ ...PASSWD, ...files }).map(([path, text]) => [path.slice(1), text])))
  const target = await openTarget(`root:${root}`)
  const { policies } = await scan(await policyOf(resources, { target, moreFacts: [site] }), { target, fix })
  return { root, results: policies.flatMap((policy) => policy.resources) }
}

const settings = (wanted: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Object.entries(wanted).map(([key, value]) => ({ setting: [{ [`acme.redis:${key}`]: { value } }] }))

const INSTALLED = { '/usr/bin/redis-server': '' }

test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, unknown>>, readonly string[]]>([
  ['the default', INSTALLED, { maxclients: 10000 }, ['compliant']],
  [
    'no limit',
    { ...INSTALLED, '/etc/redis/redis.conf': 'maxclients 0\n' },
    { maxclients: { at_most: 9 } },
    ['drifted'],
  ],
  [
    'the last of several files',
    {
      ...INSTALLED,
      '/etc/redis/redis.conf': 'port 1\n',
      '/etc/redis/conf.d/b.conf': 'port 3\n',
      '/etc/redis/conf.d/a.conf': 'port 2\n',
      '/etc/redis/conf.d/c.txt': 'port 4\n',
    },
    { port: 3, daemonize: true },
    ['compliant', 'drifted'],
  ],
  ['a program that is not installed', { '/etc/redis/redis.conf': 'port 1\n' }, { port: 1 }, ['drifted']],
])('a surface of a plugin: %s', async (_, files, wanted, verdicts) => {
  const { results: found } = await results(files, settings(wanted))
  expect(found.map(({ verdict }) => verdict)).toEqual(verdicts)
})

test('a misspelt surface of a plugin is suggested', async () => {
  const wrong = policyOf([{ setting: [{ 'acme.rediss:port': { value: 1 } }] }])
  await expect(wrong).rejects.toThrow('did you mean "acme.redis"')
})

test.each([
  ['{ "rack": { "row": 7 } }', 'drifted', '0007'],
  ['{ "rack": ', 'error', 'JSON'],
  [undefined, 'error', 'no /etc/site.json'],
])('facts of a plugin: %s', async (text, verdict, told) => {
  const file = { '/etc/passwd': { ensure: 'present', owner: '0', group: '0', mode: '000{{ Facts.site.rack.row }}' } }
  const { results: found } = await results(text === undefined ? {} : { '/etc/site.json': text }, [{ file: [file] }])
  expect([found[0]?.verdict, JSON.stringify(found)]).toEqual([verdict, expect.stringContaining(told)])
})
