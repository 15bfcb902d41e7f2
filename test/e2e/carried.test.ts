import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, temporaryDirectory } from '../support/driftgate.ts'

test('where nothing can be kept on the far side, the place is told', async () => {
  const cwd = temporaryDirectory()
  const order = { command: 'scan', directory: cwd, operands: [], words: [], options: {}, texts: [], files: [] }
  const gone = join(cwd, 'gone')
  const { code, stdout, stderr } = await driftgate(['--carried', 'nonce'], {
    cwd,
    env: { TMPDIR: gone },
    stdin: { text: `${JSON.stringify(order)}\n` },
  })
  expect([code, stdout]).toEqual([1, expect.stringContaining('driftgate:nonce hello ')])
  expect(stderr).toContain(`what is scanned with cannot be kept in ${gone}: no such file or directory; make room there`)
})
