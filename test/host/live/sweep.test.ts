import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { acquireFixLock } from '../../../src/host/live/fix-lock.ts'
import { openRoot } from '../../../src/host/live/place.ts'
import { temporaryName } from '../../../src/host/live/temporary-name.ts'
import { writeFile } from '../../../src/host/live/write-file.ts'
import { endWithTest } from '../../support/end-with-test.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const attributes = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: 0o644 }
const content = { kind: 'bytes', bytes: Buffer.from('new\n') } as const

test('temporary files left by a power failure are removed at the next write, with or without a record', async () => {
  const directory = temporaryDirectory()
  const [file, tree, written] = [temporaryName('a'), temporaryName('b'), temporaryName('report.json')]
  writeFileSync(join(directory, file), 'half')
  mkdirSync(join(directory, tree, 'copy'), { recursive: true })
  writeFileSync(join(directory, '.a.driftgate-other'), 'of somebody')
  // A scan that is writing its report there has it open.
  writeFileSync(join(directory, written), '')
  const descriptor = openSync(join(directory, written), 'a')
  const writer = spawn('cat', { stdio: ['pipe', descriptor, 'ignore'] })
  endWithTest(writer)
  await once(writer, 'spawn')
  closeSync(descriptor)

  const result = await acquireFixLock({ directory: temporaryDirectory() })
  if (result.kind !== 'held') throw new Error(result.kind)
  onTestFinished(result.lock.release)
  const path = join(directory, 'a')
  expect(await writeFile(path, content, attributes, { root: openRoot, journal: result.lock.journal })).toEqual({
    kind: 'done',
  })
  expect(readdirSync(directory).toSorted()).toEqual(['.a.driftgate-other', written, 'a'].toSorted())
  expect([...result.lock.recovered].toSorted()).toEqual([join(directory, file), join(directory, tree)].toSorted())
})
