import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { DRIFTGATE, driftgate } from '../support/driftgate.ts'
import { SECRET, HIDDEN, scene } from '../support/scenes/report-modes.ts'

describe('standard output', () => {
  /** What lands in a file of that mode, `env` made for it. */
  function printed(mode: number, args: readonly string[], env: (descriptor: number) => object = () => ({})): string {
    const cwd = scene()
    const path = join(cwd, 'stdout')
    const descriptor = openSync(path, 'wx', mode)
    const stdio = ['ignore', descriptor, 'inherit'] as const
    spawnSync(process.execPath, [DRIFTGATE, 'scan', 'p.yaml', ...args], {
      cwd,
      stdio: [...stdio],
      env: { PATH: process.env['PATH'], ...env(descriptor) },
    })
    closeSync(descriptor)
    return readFileSync(path, 'utf8')
  }

  test('that goes to a pipe shows it', async () => {
    expect((await driftgate(['scan', 'p.yaml'], { cwd: scene() })).stdout).toContain(SECRET)
  })

  test.each(['text', 'json', 'ndjson'])(
    'that goes to a file shows it where only its owner reads that: %s',
    (format) => {
      expect(printed(0o600, ['--report', format])).toContain(SECRET)
      const open = printed(0o644, ['--report', format])
      expect(open).not.toContain(SECRET)
      expect(open).toContain(HIDDEN)
    },
  )

  test('that goes to the journal shows nothing of it, because its groups may not read the file', () => {
    const journal = (descriptor: number): object => {
      const { dev, ino } = fstatSync(descriptor)
      return { JOURNAL_STREAM: `${dev}:${ino}` }
    }
    expect(printed(0o600, [], journal)).not.toContain(SECRET)
    expect(printed(0o600, [], () => ({ JOURNAL_STREAM: '1:1' }))).toContain(SECRET)
  })
})
