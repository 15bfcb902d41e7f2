import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { enter, loginOfContext } from '../../src/fleet/nats/connect.ts'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'

const SITE = `policy: { id: site }
ccm: { resources: [{ file: [{ /etc/motd: { ensure: present, owner: root, group: root, mode: "0644" } }] }] }
`

test.skipIf(needsNats)('policies are published and assigned, and the record says by whom', async () => {
  const cwd = temporaryDirectory()
  const address = `127.0.0.1:${await freePort()}`
  const run = (...args: readonly string[]) => driftgate(['fleet', ...args], { cwd })
  const succeed = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args)
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
    return stdout
  }
  const place = ['--listen', address, '--store', join(cwd, 'store'), '--size', '64MiB']
  await succeed('init', '--server', address, ...place)
  const answer = await succeed('join', (await succeed('enrol', 'web01')).trim(), '--agent', 'agent')
  await succeed('accept', answer.trim())
  await startNats(join(cwd, 'fleet/server/nats-server.conf'))
  await succeed('prepare')
  expect(await succeed('assignments')).toBe('no assignments; "driftgate fleet assign" creates one\n')

  writeFileSync(join(cwd, 'site.yaml'), SITE)
  const [, digest = '', ssh = ''] =
    /^([0-9a-f]{64}) {2}site\n([0-9a-f]{64}) {2}ssh\n$/.exec(await succeed('publish', 'site.yaml', '@ssh')) ?? []
  writeFileSync(join(cwd, 'bad.yaml'), SITE.replace('present', 'perhaps'))
  expect(await run('publish', 'bad.yaml', 'site.yaml')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('bad.yaml:2:'),
  })
  expect(await run('publish', 'none.yaml')).toMatchObject({
    code: 1,
    stderr: 'driftgate: none.yaml cannot be packed: no such file or directory\n',
  })

  // The first has no data at all, the second lacks what it requires.
  const greeting = `{{ lookup('data.greeting') }}`
  writeFileSync(join(cwd, 'needs.yaml'), SITE.replace('owner:', `content: "${greeting}", owner:`))
  writeFileSync(join(cwd, 'requires.yaml'), `data:\n  # @require\n  greeting: ""\n${SITE}`)
  writeFileSync(join(cwd, 'data.yaml'), 'greeting: hello\n')
  expect(await run('publish', 'needs.yaml')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^warning: needs\.yaml reads data that only --data .*: greeting\n/m),
  })
  expect(await run('publish', 'requires.yaml')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/"greeting" is required but has no value[^]*and to this command/),
  })
  for (const name of ['needs.yaml', 'requires.yaml'])
    expect(await run('publish', name, '--data', 'data.yaml')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^ +\d+ B {2}[0-9a-f]{64} {2}manifest\.yaml {2}the policy\n$/),
    })

  const why = ['--reason', 'first', '--author', 'anna', '--interval', '2h']
  expect(await run('assign', '--to', 'ring.all', '--policy', digest, '--policy', ssh, ...why)).toMatchObject({
    code: 0,
    stderr: 'driftgate: ring.all is assigned site, ssh, version 1\n',
  })
  await succeed('assign', '--to', 'ring.all', '--policy', ssh, '--reason', 'second')
  for (const [args, message] of [
    [['--policy', ssh, '--reason', 'x'], 'missing --to ring.NAME'],
    [['--to', 'ring.all', '--reason', 'x'], 'missing --policy SHA256'],
    [['--to', 'ring.all', '--policy', ssh], 'missing --reason TEXT'],
    [['--to', 'all', '--policy', ssh, '--reason', 'x'], 'must be ring.NAME or host.NAME'],
    [['--to', 'ring.all', '--policy', 'ssh', '--reason', 'x'], 'must be a SHA-256'],
  ] as const)
    expect(await run('assign', ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })

  const lines = (await succeed('assignments', 'ring.all')).trim().split('\n')
  expect(lines.map((line) => line.replaceAll(/20\d\d-\S+ \S+Z/g, 'TIME').replaceAll(/ +/g, ' '))).toEqual([
    'to version since by content and reason',
    expect.stringMatching(/^ring\.all 2 TIME \S+@\S+ ssh@\w{12}: second$/),
    `ring.all 1 TIME anna site@${digest.slice(0, 12)} ssh@${ssh.slice(0, 12)} every 2h: first`,
  ])
  expect(await run('assignments', 'all')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('expected ring.NAME or host.NAME'),
  })
  expect(JSON.parse(await succeed('assignments', '--format', 'json'))).toMatchObject({
    schema: 'driftgate.assignments/v1',
    assignments: [{ to: 'ring.all', assignment: { version: 2, policies: [{ name: 'ssh', sha256: ssh }] } }],
  })
  await succeed('assign', '--to', 'host.web01', '--policy', digest, '--reason', 'a test')
  expect(await run('withdraw', 'web01')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('missing --reason TEXT'),
  })
  await succeed('withdraw', 'web01', '--reason', 'over')
  expect(await succeed('assignments', 'host.web01')).toMatch(/^host\.web01 {2}- .* it was withdrawn$/m)
  const { schema, entries } = JSON.parse(await succeed('audit', '--format', 'json'))
  expect({ schema, acts: entries.map((each: { entry: { act: string } }) => each.entry.act) }).toEqual({
    schema: 'driftgate.audit-entries/v1',
    acts: ['enrol', ...Array<string>(5).fill('publish'), 'assign', 'assign', 'assign', 'assign', 'withdraw'],
  })
  const actsOf = async (...words: readonly string[]): Promise<readonly string[]> =>
    JSON.parse(await succeed('audit', '--format', 'json', ...words)).entries.map(
      (each: { entry: { act: string } }) => each.entry.act,
    )
  expect(await actsOf('--act', 'enrol', '--act', 'withdraw')).toEqual(['enrol', 'withdraw'])
  expect(await actsOf('--about', 'web01')).toEqual(['enrol', 'assign', 'assign', 'withdraw'])
  expect(await actsOf('--about', digest.slice(0, 12), '--act', 'publish', '--since', '1h')).toEqual(['publish'])
  expect(await actsOf('--since', '0')).toEqual([])
  expect(await succeed('audit', '--about', 'db01')).toBe(
    'no matching activity; recorded acts: assign, enrol, publish, withdraw\n',
  )
  expect(await run('audit', '--since', 'today')).toMatchObject({ code: 1, stderr: expect.stringContaining('--since') })
  const line = await enter(loginOfContext(join(cwd, 'fleet/operator/context.json')))
  await line.ask('dg.v1.audit.assign', { body: '{}', timeoutMs: 5000 })
  await line.close()
  expect(await run('audit', '--about', 'db01')).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^when .*\n\S+ \S+Z +- +- +not verified: .*\n$/),
  })
  expect(JSON.parse((await run('audit', '--about', 'db01', '--format', 'json')).stdout).entries).toMatchObject([
    { refused: expect.any(String) },
  ])
  expect((await run('audit')).stdout).toMatch(
    /Z {2}assign +anna +.*ring\.all: version 1: site [0-9a-f]{64}, ssh .*; first\n/,
  )
})
