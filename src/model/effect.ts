import { countOf } from './count-of.ts'

/** The effects of fixes, each with its verb for "would ...", in the past tense, and for "would have ..." if that differs. */
const EFFECTS = {
  create: ['create', 'created'],
  replace: ['replace', 'replaced'],
  write: ['write', 'wrote', 'written'],
  set: ['set', 'set'],
  change: ['change', 'changed'],
  'set-attributes': ['set the attributes of', 'set the attributes of'],
  remove: ['remove', 'removed'],
  download: ['download', 'downloaded'],
  extract: ['extract', 'extracted'],
  install: ['install', 'installed'],
  upgrade: ['upgrade', 'upgraded'],
  downgrade: ['downgrade', 'downgraded'],
  start: ['start', 'started'],
  stop: ['stop', 'stopped'],
  restart: ['restart', 'restarted'],
  enable: ['enable', 'enabled'],
  disable: ['disable', 'disabled'],
  mask: ['mask', 'masked'],
  unmask: ['unmask', 'unmasked'],
  run: ['run', 'ran', 'run'],
} as const satisfies Record<string, readonly [plan: string, past: string, perfect?: string]>

/** The kinds of effects. */
export type EffectKind = keyof typeof EFFECTS

export const EFFECT_KINDS: readonly EffectKind[] = Object.keys(EFFECTS) as EffectKind[]

/** One effect of a fix, planned or done; `actions` has the same as sentences of CCM. */
export interface Effect {
  readonly kind: EffectKind
  /** The object of the verb: `the file`, `version 1.2 of the package`, `3 files`. */
  readonly object: string
  /**
   * True for a side effect on something that the resource does not name: a unit that stops too, a package that is
   * removed too.
   */
  readonly alongside?: true
}

/** The effect on a number of files; empty if the number is 0. */
export function toFiles(kind: EffectKind, count: number): readonly Effect[] {
  return count === 0 ? [] : [{ kind, object: countOf(count, 'file') }]
}

/** The effects as a sentence of an audit for `actions`: `Would have downloaded the archive, extracted the archive`. */
export function sentenceOf(effects: readonly Effect[]): string {
  const words = effects.map(({ kind, object }) => {
    const [, past, perfect = past]: readonly [string, string, string?] = EFFECTS[kind]
    return `${perfect} ${object}`
  })
  return `Would have ${words.join(', ')}`
}

/** The effects as text: `would download the archive, extract the archive`, or in the past tense once they are done. */
export function describeEffects(effects: readonly Effect[], when: 'planned' | 'done'): string {
  const words = effects.map(({ kind, object }) => `${EFFECTS[kind][when === 'planned' ? 0 : 1]} ${object}`).join(', ')
  return when === 'planned' ? `would ${words}` : words
}
