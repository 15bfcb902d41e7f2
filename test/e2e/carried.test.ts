import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, temporaryDirectory } from '../support/driftgate.ts'

test('without a writable directory on the remote side, the error names its path', async () => {
  const cwd = temporaryDirectory()
  const order = { command: 'scan', directory: cwd, operands: [], words: [], options: {}, texts: [], files: [] }
  const gone = join(cwd, 'gone')
  const { code, stdout, stderr } = await driftgate(['--carried', 'nonce'], {
    cwd,
    env: { TMPDIR: gone },
    stdin: { text: `${JSON.stringify(order)}\n` },
  })
  expect([code, stdout]).toEqual([1, expect.stringContaining('driftgate:nonce hello ')])
  expect(stderr).toContain(`cannot store the files of the scan in ${gone}: no such file or directory; free space there`)
})

test('code of a plugin that differs from what was announced is not loaded', async () => {
  const cwd = temporaryDirectory()
  const [path, announced, text] = ['/srv/plugin.mjs', 'export const plugin = 1', 'export const plugin = 2']
  const sha256 = createHash('sha256').update(`["${path}",${announced.length}]\n${announced}`).digest('hex')
  const order = {
    command: 'validate',
    directory: cwd,
    operands: ['-'],
    words: [],
    options: { plugin: [path] },
    texts: [['-', 'ccm: { resources: [] }']],
    files: [{ path, size: text.length, mode: 0o644 }],
    code: { paths: [path], sha256 },
  }
  const { code, stderr } = await driftgate(['--carried', 'nonce'], {
    cwd,
    stdin: { text: `${JSON.stringify(order)}\n${text}` },
  })
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('the received plugin code differs from the code that was sent'),
  ])
})
