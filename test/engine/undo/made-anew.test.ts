import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { fixAndUndo, type Undone } from '../../support/undo.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const ATTRIBUTES = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: 0o644 }

/** A file that a command generates from another, edited by hand before the fix. */
function made(): {
  readonly source: string
  readonly result: string
  readonly fix: (meanwhile?: string) => Promise<Undone>
} {
  const directory = temporaryDirectory()
  const [source, result] = [join(directory, 'source'), join(directory, 'result')]
  writeFileSync(source, 'old\n')
  writeFileSync(result, 'made of old, and by hand\n')
  const command = {
    argv: ['sh', '-c', 'printf "made of %s\\n" "$(cat source)" >result'],
    workingDirectory: directory,
    environment: { PATH: '/usr/bin:/bin' },
    timeoutMs: 60_000,
  } as const
  const { signal } = new AbortController()
  const fix = (meanwhile?: string): Promise<Undone> =>
    fixAndUndo(
      async (remediatorFor) => {
        const remediator = remediatorFor('it')
        await remediator.writeFile(source, { kind: 'bytes', bytes: Buffer.from('new\n') }, ATTRIBUTES)
        await remediator.run({ ...command, signal, undo: { kind: 'again', command, writes: [result] } })
        expect(readFileSync(result, 'utf8')).toBe('made of new\n')
      },
      () => meanwhile !== undefined && writeFileSync(result, meanwhile),
    )
  return { source, result, fix }
}

it('a file that a command regenerated gets its former content back, manual edits included', async () => {
  const { source, result, fix } = made()
  const { taken } = await fix()
  expect(taken.flatMap(({ things }) => things).map(({ outcome }) => outcome)).not.toContain('conflict')
  expect([source, result].map((path) => readFileSync(path, 'utf8'))).toEqual(['old\n', 'made of old, and by hand\n'])
})

it('a file regenerated again since the fix is generated from the restored source', async () => {
  const { source, result, fix } = made()
  const { taken } = await fix('made of new and more\n')
  expect(taken.flatMap(({ things }) => things)).toContainEqual(
    expect.objectContaining({ name: result, outcome: 'conflict', message: 'changed since the fix' }),
  )
  expect([source, result].map((path) => readFileSync(path, 'utf8'))).toEqual(['old\n', 'made of old\n'])
})
