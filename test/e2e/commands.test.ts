import { expect, test } from 'vitest'
import { DRIFTGATE, start, temporaryDirectory } from '../support/driftgate.ts'

test('the executable runs by itself, as an installed command does', async () => {
  const { outcome } = start(DRIFTGATE, ['--version'], { cwd: temporaryDirectory() })
  expect((await outcome).code).toBe(0)
})
