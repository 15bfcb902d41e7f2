import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../../support/temporary.ts'
import { fixAndUndo } from '../../support/undo.ts'

const ATTRIBUTES = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: 0o644 }

it('a file that a later step of the undo changes again is a problem of the resource that it belongs to', async () => {
  const directory = temporaryDirectory()
  const [kept, other] = [join(directory, 'kept'), join(directory, 'other')]
  for (const path of [kept, other]) writeFileSync(path, 'old\n')
  const run = (script: string) =>
    ({
      argv: ['sh', '-c', script],
      workingDirectory: directory,
      environment: { PATH: '/usr/bin:/bin' },
      timeoutMs: 60_000,
    }) as const
  const { signal } = new AbortController()
  const { taken } = await fixAndUndo(async (remediatorFor) => {
    const undo = { kind: 'command', command: run('echo spoiled >kept') } as const
    await remediatorFor('command').run({ ...run(':'), signal, undo })
    for (const path of [kept, other]) {
      await remediatorFor(path).writeFile(path, { kind: 'bytes', bytes: Buffer.from('new\n') }, ATTRIBUTES)
    }
  })
  expect([kept, other].map((path) => readFileSync(path, 'utf8'))).toEqual(['spoiled\n', 'old\n'])
  expect(Object.fromEntries(taken.map(({ owner, things }) => [owner.id, things]))).toMatchObject({
    command: [],
    [kept]: [
      {
        outcome: 'failed',
        message: expect.stringMatching(
          /^changed again by a later step of the undo: it is file, 8 bytes.*, expected file, 4 bytes/,
        ),
      },
    ],
    [other]: [{ outcome: 'restored' }],
  })
})
