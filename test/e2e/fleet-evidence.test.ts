import { createPublicKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory, writePolicy } from '../support/driftgate.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'

test.skipIf(needsNats)('evidence of a host is exported from the server and verified by its key alone', async () => {
  const cwd = temporaryDirectory()
  const run = (...args: readonly string[]): Promise<Outcome> => driftgate(args, { cwd })
  const succeed = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args)
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
    return stdout
  }
  const address = `127.0.0.1:${await freePort()}`
  await succeed(
    'fleet',
    'init',
    '--server',
    address,
    '--listen',
    address,
    '--store',
    join(cwd, 'store'),
    '--size',
    '64MiB',
  )
  for (const name of ['web01', 'db01']) {
    const answer = await succeed('fleet', 'join', (await succeed('fleet', 'enrol', name)).trim(), '--agent', name)
    await succeed('fleet', 'accept', answer.trim())
  }
  await startNats(join(cwd, 'fleet/server/nats-server.conf'))
  await succeed('fleet', 'prepare')
  const change = [false, false, true, true]
  for (const isThere of change) {
    writePolicy(join(cwd, 'p.json'), [{ name: join(cwd, 'a'), ensure: 'absent' }], { id: 'site' })
    if (isThere) writeFileSync(join(cwd, 'a'), '')
    await run('scan', 'p.json', '--quiet', '--history', 'history')
    await succeed('fleet', 'send', '--agent', 'web01', '--history', 'history')
  }

  const viewer = ['fleet', 'evidence', '--context', 'fleet/viewer/context.json']
  const text = await succeed(...viewer, '--host', 'web01')
  const bundle = JSON.parse(text) as { messages: { kind: string }[] }
  expect(bundle).toMatchObject({ schema: 'driftgate.evidence.messages/v1', host: 'web01' })
  expect(bundle.messages).toHaveLength(4)
  expect(bundle.messages.slice(0, 2).map(({ kind }) => kind)).toEqual(['full', 'beat'])
  writeFileSync(join(cwd, 'web01.json'), text)
  // The key as the host has it, or as the roster does.
  const pem = createPublicKey(readFileSync(join(cwd, 'web01/host.pem'))).export({ type: 'spki', format: 'pem' })
  writeFileSync(join(cwd, 'web01.pub'), pem)
  const keyOf = (name: string): string =>
    new RegExp(`name: ${name}[^]*?key: (U\\w+)`).exec(
      readFileSync(join(cwd, 'fleet/operator/roster.yaml'), 'utf8'),
    )?.[1] ?? ''
  for (const key of ['web01.pub', keyOf('web01')])
    expect(await succeed('evidence', 'verify', 'web01.json', '--key', key)).toMatch(
      /^4 signed messages of web01, 1 to 4, about 4 runs, started \S+ to \S+\nthe latest is [0-9a-f]{64}\nverified\n$/,
    )
  expect(await run('evidence', 'verify', 'web01.json', '--key', keyOf('db01'))).toMatchObject({ code: 2 })
  expect(await run('evidence', 'verify', 'web01.json')).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('not verified: no key was named'),
  })
  bundle.messages.splice(1, 1)
  writeFileSync(join(cwd, 'web01.json'), JSON.stringify(bundle))
  expect(await run('evidence', 'verify', 'web01.json', '--key', 'web01.pub')).toMatchObject({
    code: 2,
    stdout: 'wrong: message 2 is missing\nNOT as signed\n',
  })

  const roster = ['--roster', 'fleet/operator/roster.yaml']
  expect(await run(...viewer, '--host', 'web01', ...roster)).toMatchObject({ code: 0, stderr: '' })
  const swapped = readFileSync(join(cwd, 'fleet/operator/roster.yaml'), 'utf8').replace(keyOf('web01'), keyOf('db01'))
  writeFileSync(join(cwd, 'swapped.yaml'), swapped)
  const { code, stdout, stderr } = await run(...viewer, '--host', 'web01', '--roster', 'swapped.yaml')
  expect({ code, stdout }).toEqual({ code: 0, stdout: text })
  expect(stderr.match(/DG_\w+ \d: dg\.v1\.\w+\.web01: it is not signed by the key of web01/g)).toHaveLength(4)

  for (const [args, message] of [
    [['--host', 'db01'], 'the server has no message of db01'],
    [['--host', 'web01', '--until', '2020-01-01'], 'no message of web01 about a run in this time'],
    [['--host', '*'], 'is not a valid host name'],
    [['--host', 'web01', '--from', '.'], '--from DIR (histories) or --context FILE'],
  ] as const)
    expect(await run(...viewer, ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  expect(await run('fleet', 'evidence', '--from', '.', ...roster, '--host', 'web01')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--roster requires --context'),
  })
})
