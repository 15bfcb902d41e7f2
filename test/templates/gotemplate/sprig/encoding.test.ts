import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ b64enc "héllo" }} {{ b64dec "aMOpbGxv" }} {{ b64dec "a" }} {{ b64dec "a$==" }} {{ b64dec "aGk" }} {{ b64dec "aG\\nk=" }} {{ b64dec "" }}|{{ b64dec "a=b=" }} {{ b64dec "a\\n$==" }}',
    'aMOpbGxv héllo illegal base64 data at input byte 0 illegal base64 data at input byte 1 illegal base64 data at input byte 0 hi |illegal base64 data at input byte 1 illegal base64 data at input byte 2',
  ],
  [
    '{{ b32enc "coffee" }} {{ b32dec "MNXWMZTFMU======" }} {{ b32dec "5" }} {{ b32dec "m" }} {{ b32enc "" }}|{{ b32enc "a" }} {{ b32dec "ME======" }} {{ b32dec "M=======" }}',
    'MNXWMZTFMU====== coffee illegal base32 data at input byte 0 illegal base32 data at input byte 0 |ME====== a illegal base32 data at input byte 1',
  ],
  [
    '{{ sha1sum "abc" }} {{ sha256sum "abc" }} {{ sha512sum "" }} {{ adler32sum "abc" }} {{ adler32sum "" }}',
    'a9993e364706816aba3e25717850c26c9cd0d89d ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e 38600999 1',
  ],
]

test.each(CASES)('sprig encodings and digests: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
