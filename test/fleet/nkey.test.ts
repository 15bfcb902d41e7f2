import { nkeys } from '@nats-io/transport-node'
import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyOfNkey, keyOfSeed, publicNkey, seedOf } from '../../src/fleet/nats/nkey.ts'
import { makeKey } from '../../src/host/signing/keys.ts'
import { cases } from '../support/soak.ts'

test('keys are written as the library of NATS writes them', () => {
  for (let count = cases({ usual: 200, soak: 5000 }); count > 0; count -= 1) {
    const key = makeKey()
    expect(nkeys.fromSeed(Buffer.from(seedOf(key))).getPublicKey()).toBe(publicNkey(key))
    expect(keyOfNkey(publicNkey(key))?.equals(createPublicKey(key))).toBe(true)
    expect(keyOfSeed(seedOf(key))?.equals(key)).toBe(true)
  }
})

test('a seed in which one letter differs is no key', () => {
  const text = seedOf(makeKey())
  for (const [at, letter] of Array.from(text).entries()) {
    expect(keyOfSeed(`${text.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`)).toBeUndefined()
  }
  for (const other of ['', 'SU', text.slice(1), `${text}A`, publicNkey(makeKey())])
    expect(keyOfSeed(other)).toBeUndefined()
})

test('a text in which one letter differs is no key', () => {
  const text = publicNkey(makeKey())
  for (const [at, letter] of Array.from(text).entries()) {
    expect(keyOfNkey(`${text.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`)).toBeUndefined()
  }
  for (const other of ['', 'U', text.slice(1), `${text}A`, text.toLowerCase(), seedOf(makeKey())]) {
    expect(keyOfNkey(other)).toBeUndefined()
  }
})
