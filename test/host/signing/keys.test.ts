import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'
import { makeKeys, publicKeyOf } from '../../../src/host/signing/keys.ts'
import { bundle } from '../../support/bundle.ts'

// In a process of its own, for one that waits for itself cannot be ended from within. Exports alone make the garbage, so
// that it is collected during one of them.
test('a new key can be exported whenever garbage is collected', async () => {
  const program = await bundle(`
    import { makeKey } from './src/host/signing/keys.ts'
    for (let made = 0; made < 20; made += 1) {
      const key = makeKey()
      for (let exported = 0; exported < 2000; exported += 1) key.export({ format: 'jwk' })
    }
  `)
  try {
    const argv = ['--max-semi-space-size=1', program.file]
    const { status, signal } = spawnSync(process.execPath, argv, { timeout: 60_000, killSignal: 'SIGKILL' })
    expect({ status, signal }).toEqual({ status: 0, signal: null })
  } finally {
    program.remove()
  }
})

test('of several keys in one file the first has the id, and the others count, too', () => {
  const [one, two] = [makeKeys(), makeKeys()]
  expect(publicKeyOf('k.pem', one.publicPem)).not.toHaveProperty('others')
  const { id, key, others } = publicKeyOf('k.pem', `${one.publicPem}${two.publicPem}`)
  expect(id).toBe(one.id)
  expect([key, ...(others ?? [])].map((each) => each.export({ type: 'spki', format: 'pem' }))).toEqual([
    one.publicPem,
    two.publicPem,
  ])
})
