import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { beTheAgent } from '../../../src/fleet/agent/lock.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

test('a directory has one agent at a time, whose number its file holds', async () => {
  const directory = temporaryDirectory()
  const release = await beTheAgent(directory)
  expect(readFileSync(join(directory, 'agent.lock'), 'utf8')).toBe(`${process.pid}\n`)
  await expect(beTheAgent(directory)).rejects.toThrow('another agent is running for')
  release()
  const again = await beTheAgent(directory)
  again()
})

test('a lock is no link to somewhere else', async () => {
  const directory = temporaryDirectory()
  symlinkSync(join(directory, 'elsewhere'), join(directory, 'agent.lock'))
  await expect(beTheAgent(directory)).rejects.toThrow('cannot lock')
})
