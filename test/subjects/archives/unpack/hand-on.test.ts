import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import { tarBytes, type TarEntry } from '../../../support/tar-bytes.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'
import { needsPrograms } from '../../../support/programs.ts'

function scene(entries: readonly TarEntry[]): { readonly root: string; readonly archive: string } {
  const root = temporaryDirectory()
  const archive = join(root, 'archive.tar')
  writeFileSync(archive, tarBytes(entries))
  return { root, archive }
}

function ask(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8' }).trim()
}

function listOf(path: string): readonly string[] {
  return ask('getfacl', '-cE', '--absolute-names', path).split('\n')
}

const missing = needsRoot ?? needsPrograms('setfacl', 'setfattr', 'setcap')

describe.skipIf(missing)('attributes of files that an archive replaces', () => {
  test('are kept, the mode is that of the archive, and new files get none of them', async () => {
    const { root, archive } = scene([
      { name: 'app', type: '5', mode: 0o755 },
      { name: 'app/run', content: 'new', mode: 0o755 },
      { name: 'app/plain', content: 'new', mode: 0o644 },
      { name: 'app/lib/code', content: 'new', mode: 0o644 },
    ])
    const directory = join(root, 'opt')
    const [run, plain] = [join(directory, 'app/run'), join(directory, 'app/plain')]
    mkdirSync(join(directory, 'app'), { recursive: true })
    for (const path of [run, plain]) {
      writeFileSync(path, 'old')
      chmodSync(path, 0o700)
    }
    ask('setfacl', '-m', 'u:nobody:rx', run)
    ask('setfattr', '-n', 'user.note', '-v', 'kept', run)
    ask('setcap', 'cap_net_raw=ep', run)
    const signal = new AbortController().signal
    const request = { archive, format: 'tar', directory, maxBytes: 1e9, signal } as const
    expect(await createLocalRemediator(NO_JOURNAL).extract(request)).toEqual({ kind: 'done' })
    expect(readFileSync(run, 'utf8')).toBe('new')
    // The group of the mode is the mask, as chmod(1) has it.
    expect(listOf(run)).toEqual(['user::rwx', 'user:nobody:r-x', 'group::---', 'mask::r-x', 'other::r-x'])
    expect(ask('getfattr', '--absolute-names', '--only-values', '-n', 'user.note', run)).toBe('kept')
    expect(ask('getcap', run)).toBe(`${run} cap_net_raw=ep`)
    const open = ['user::rw-', 'group::r--', 'other::r--']
    expect([listOf(plain), listOf(join(directory, 'app/lib/code'))]).toEqual([open, open])
    expect([statSync(run).nlink, readdirSync(root)]).toEqual([1, ['archive.tar', 'opt']])
  })

  test('are kept by a user other than root, also for files that the owner cannot write', async () => {
    const { root, archive } = scene([{ name: 'app', content: 'new', mode: 0o444 }])
    const app = join(root, 'app')
    writeFileSync(app, 'old')
    ask('setfattr', '-n', 'user.note', '-v', 'kept', app)
    chmodSync(app, 0o444)
    ask('chown', 'nobody', root, app, archive)
    const outcome = await runAsNobody(
      `
      import { NO_JOURNAL } from './src/host/live/journal.ts'
      import { createLocalRemediator } from './src/host/live/local-remediator.ts'
      const [archive, directory] = process.argv.slice(2)
      const signal = new AbortController().signal
      const request = { archive, directory, format: 'tar', maxBytes: 1e9, signal }
      console.log(JSON.stringify(await createLocalRemediator(NO_JOURNAL).extract(request)))`,
      [archive, root],
    )
    expect(outcome).toEqual({ kind: 'done' })
    expect([readFileSync(app, 'utf8'), statSync(app).mode & 0o7777]).toEqual(['new', 0o444])
    expect(ask('getfattr', '--absolute-names', '--only-values', '-n', 'user.note', app)).toBe('kept')
  })
})
