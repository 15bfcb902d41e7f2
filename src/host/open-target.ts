import { didYouMean } from '../model/suggest.ts'
import type { TargetKind } from '../model/run.ts'
import type { Target } from './target.ts'

/** A target that can be looked at from here, or why it is missing. */
export type OpenedTarget =
  { readonly kind: 'opened'; readonly target: Target } | { readonly kind: 'refused'; readonly message: string }

/** One way to name what is looked at: `KIND:REST`, or the kind alone where its `rest` says so. */
export interface KindOfTarget {
  readonly kind: TargetKind
  /** How it is written, for help. */
  readonly form: string
  /** What it is, in a few words. */
  readonly summary: string
  /** `path`: what stands behind the colon is one, and means the same wherever the command is started; `none`: nothing does. */
  readonly rest: 'path' | 'name' | 'none'
  /** Whether what stands behind the colon is written as it has to be; anything is where this is absent. */
  readonly accepts?: (rest: string) => boolean
}

/** One that is looked at from here. */
export interface NearKind extends KindOfTarget {
  /** Loaded where it is needed: a scan of this machine has no use for the others. */
  readonly open: (rest: string) => Promise<OpenedTarget>
}

/** What can be looked at from here, in the order help lists it. */
export const NEAR_KINDS: readonly NearKind[] = [
  {
    kind: 'local',
    form: 'local',
    summary: 'this host',
    rest: 'none',
    open: async () => {
      const { createLocalTarget } = await import('./live/local-target.ts')
      return { kind: 'opened', target: createLocalTarget() }
    },
  },
  {
    kind: 'root',
    form: 'root:DIR',
    summary: 'a system on a mounted disk or in a directory',
    rest: 'path',
    open: async (directory) => (await import('./root/open-root.ts')).openRootedTarget(directory),
  },
  {
    kind: 'image',
    form: 'image:PATH[#REF]',
    summary: 'an image saved by Docker or as an OCI layout',
    rest: 'path',
    open: async (spec) => (await import('./image/open-image.ts')).openImageTarget(spec),
  },
]

/** Takes the name of a target apart; `message` is the end of a sentence about it. */
export function parseTarget<Kind extends KindOfTarget>(
  text: string,
  kinds: readonly Kind[],
): { readonly of: Kind; readonly rest: string } | { readonly message: string } {
  const [, name = '', separator, rest = ''] = /^([^:]*)(:?)(.*)$/s.exec(text) ?? []
  const known = kinds.find(({ kind }) => kind === name)
  if (known === undefined) {
    const forms = kinds.map(({ form }) => form).join(', ')
    const names = kinds.map(({ kind, rest: what }) => (what === 'none' ? kind : `${kind}:`))
    return { message: `must be one of ${forms}${didYouMean(`${name}${separator}`, names)}` }
  }
  if (known.rest === 'none') return text === name ? { of: known, rest } : { message: `must be ${known.form} alone` }
  if (rest === '' || known.accepts?.(rest) === false) return { message: `must be ${known.form}: ${known.summary}` }
  return { of: known, rest }
}

/**
 * Opens what `scan` is to look at, as its option `target`: `local`, `root:DIR` or `image:PATH[#REF]`, a path from the working
 * directory on. What other targets are scanned by is the command line. Rejects for what is no such target or cannot be opened.
 */
export async function openTarget(spec: string): Promise<Target> {
  const parsed = parseTarget(spec, NEAR_KINDS)
  if ('message' in parsed) {
    const forms = NEAR_KINDS.map(({ form }) => form)
    throw new TypeError(`"${spec}" is not one of ${forms.join(', ')}${didYouMean(spec, forms)}`)
  }
  const opened = await parsed.of.open(parsed.rest)
  if (opened.kind === 'refused') throw new Error(`${spec}: ${opened.message}`)
  return opened.target
}
