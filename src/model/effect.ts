import { countOf } from './count-of.ts'

/** What a fix does to something, each with what it is called in "would ...", in the past, and in "would have ..." where that is another word. */
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

/** The name of an effect. */
export type EffectKind = keyof typeof EFFECTS

/** The names of all effects. */
export const EFFECT_KINDS: readonly EffectKind[] = Object.keys(EFFECTS) as EffectKind[]

/** One thing that a fix would do or has done, as it is; the sentences of CCM stand beside it in `actions`. */
export interface Effect {
  readonly kind: EffectKind
  /** To what, as words that follow the verb: `the file`, `version 1.2 of the package`, `3 files`. */
  readonly object: string
  /** Whether it is done to something that the resource does not name: a unit that stops with it, a package that goes with another. */
  readonly alongside?: true
}

/** That something is done to a number of files; nothing if absent. */
export function toFiles(kind: EffectKind, count: number): readonly Effect[] {
  return count === 0 ? [] : [{ kind, object: countOf(count, 'file') }]
}

/** Effects as the sentence that an audit shows in `actions`: `Would have downloaded the archive, extracted the archive`. */
export function sentenceOf(effects: readonly Effect[]): string {
  const words = effects.map(({ kind, object }) => {
    const [, past, perfect = past]: readonly [string, string, string?] = EFFECTS[kind]
    return `${perfect} ${object}`
  })
  return `Would have ${words.join(', ')}`
}

/** Effects in their order as a text: `would download the archive, extract the archive`, or once they are done the past. */
export function describeEffects(effects: readonly Effect[], when: 'planned' | 'done'): string {
  const words = effects.map(({ kind, object }) => `${EFFECTS[kind][when === 'planned' ? 0 : 1]} ${object}`).join(', ')
  return when === 'planned' ? `would ${words}` : words
}
