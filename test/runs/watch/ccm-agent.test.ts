import { expect, test } from 'vitest'
import { type CcmAgent, readCcmAgent } from '../../../src/runs/watch/ccm-agent.ts'

function read(text: string): CcmAgent {
  const found = readCcmAgent('agent.yaml', text)
  if (!found.ok) throw new Error(JSON.stringify(found.problems))
  return found.value
}

test('every key is taken, or named with its place and what to do instead', () => {
  const { passedOver, ...agent } = read(`interval: 1h
health_check_interval: 20s
manifests: [/etc/ccm/web.yaml, obj://CCM/db.tar.gz, "https://example.com/m.tar.gz", site.yaml, "@own.yaml"]
external_data_url: kv://CONFIG/site
cache_dir: /var/cache/ccm
monitor_port: 8080
log_level: debug
nats_context: SITE
registration: jetstream
x-owner: ops
`)
  expect(agent).toEqual({
    manifests: ['/etc/ccm/web.yaml', 'obj://CCM/db.tar.gz', 'https://example.com/m.tar.gz', 'site.yaml', './@own.yaml'],
    interval: '1h',
    data: 'kv://CONFIG/site',
    context: 'SITE',
    loudness: 'verbose',
  })
  expect(
    passedOver.map(({ severity, position, message }) => [severity, position?.line, message.split(':')[0]]),
  ).toEqual([
    ['warning', 2, 'health_check_interval'],
    ['warning', 5, 'cache_dir'],
    ['warning', 6, 'monitor_port'],
    ['warning', 9, 'registration'],
  ])
})

test('unset options have the defaults of the agent', () => {
  expect(read('manifests: [a.yaml]\nmonitor_port: 0\nlog_level:\nregistration:\n')).toEqual({
    manifests: ['a.yaml'],
    interval: '5m',
    loudness: 'normal',
    passedOver: [],
  })
  for (const level of ['warn', 'error']) expect(read(`manifests: [a]\nlog_level: ${level}\n`).loudness).toBe('quiet')
})

const FIRST = 'manifests: [a.yaml]\n'
const NO_MANIFESTS = 'manifests must be a list of the manifests to watch'
const NO_SPAN = 'must be a duration such as 5m or 1h30m'
const NO_SCHEME = 'the agent supports nothing else, not even file://'

test.each([
  ['- a.yaml\n', 1, 1, 'an agent configuration must be a map with the key "manifests"'],
  ['', 1, 1, 'the config is empty'],
  ['interval: 5m\n', 1, 1, NO_MANIFESTS],
  ['manifests: []\n', 1, 12, NO_MANIFESTS],
  ['manifests: a.yaml\n', 1, 12, NO_MANIFESTS],
  ['manifests: [""]\n', 1, 13, 'a manifest must be a path or a URL'],
  ['manifests: ["file:///a"]\n', 1, 13, `a manifest must be a path or start with obj:// and http(s)://: ${NO_SCHEME}`],
  ['manifests: ["kv://B/K"]\n', 1, 13, `a manifest must be a path or start with obj:// and http(s)://: ${NO_SCHEME}`],
  [
    'manifests: ["https://ann:hunter2@example.com/a"]\n',
    1,
    13,
    'a manifest has a password in its URL, which is visible in the process list',
  ],
  [`${FIRST}interval: soon\n`, 2, 11, `interval ${NO_SPAN}`],
  [`${FIRST}interval: 300\n`, 2, 11, `interval ${NO_SPAN}`],
  [`${FIRST}interval: 29s\n`, 2, 11, 'interval must be at least 30s, as in the agent'],
  [`${FIRST}health_check_interval: soon\n`, 2, 24, `health_check_interval ${NO_SPAN}`],
  [
    `${FIRST}external_data_url: "file:///d"\n`,
    2,
    20,
    `external_data_url must be a path or start with kv:// and http(s)://: ${NO_SCHEME}`,
  ],
  [`${FIRST}external_data_url: [a]\n`, 2, 20, 'external_data_url must be a string'],
  [`${FIRST}log_level: loud\n`, 2, 12, 'log_level must be one of debug, info, warn, error'],
  [`${FIRST}registration: etcd\n`, 2, 15, 'registration must be one of nats, jetstream'],
  [`${FIRST}nats_context: ''\n`, 2, 15, 'nats_context must be a string'],
  [`${FIRST}manifest: [b]\n`, 2, 1, 'unknown key "manifest", did you mean "manifests"?'],
])('a mistake has a place: %j', (text, line, column, message) => {
  const found = readCcmAgent('agent.yaml', text)
  expect(found).toMatchObject({ ok: false, problems: [{ message, position: { file: 'agent.yaml', line, column } }] })
  expect(JSON.stringify(found)).not.toContain('hunter')
})
