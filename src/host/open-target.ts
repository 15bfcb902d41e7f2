import { didYouMean } from '../model/suggest.ts'
import type { TargetKind } from '../model/run.ts'
import type { Target } from './target.ts'

/** An opened target, or why it was refused. */
export type OpenedTarget =
  { readonly kind: 'opened'; readonly target: Target } | { readonly kind: 'refused'; readonly message: string }

/** A kind of target: `KIND:REST`, or only `KIND` if `rest` is `none`. */
export interface KindOfTarget {
  readonly kind: TargetKind
  /** Its syntax, for help. */
  readonly form: string
  /** A short description. */
  readonly summary: string
  /** The part after the colon: a `path`, which is made absolute, a `name`, or `none`. */
  readonly rest: 'path' | 'name' | 'none'
  /** Whether the part after the colon is valid; always true if undefined. */
  readonly accepts?: (rest: string) => boolean
}

/** A kind that is opened without a remote connection. */
export interface NearKind extends KindOfTarget {
  /** Loads its code on demand: a scan of this machine does not need the others. */
  readonly open: (rest: string) => Promise<OpenedTarget>
}

/** The kinds opened without a remote connection, in the order of the help. */
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

/** Parses a target; `message` is the end of a sentence about it. */
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
 * Opens a target for the option `target` of `scan`: `local`, `root:DIR` or `image:PATH[#REF]`, with paths relative to
 * the working directory. Other kinds of targets are available on the command line only. Rejects if the target is not
 * one of these or cannot be opened.
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
