import { createRequire } from 'node:module'

type RE2 = typeof import('re2js').RE2JS

let engine: RE2 | undefined

/** Go's `regexp`. It is loaded with the first pattern and at once, because evaluation is synchronous. */
export function re2(): RE2 {
  if (engine === undefined) {
    const loaded: { RE2JS: RE2 } = createRequire(import.meta.url)('re2js')
    engine = loaded.RE2JS
  }
  return engine
}
