import type { Declaration } from '../../../model/policy.ts'
import { didYouMean } from '../../../model/suggest.ts'
import { createRedactor } from '../../../policy/secrets/redactor.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'

/** A resource with its policy and the apply resources above it. */
export interface Located {
  readonly document: PolicyDocument
  readonly declaration: Declaration
  /** Outermost first; empty in the top-level policy. */
  readonly above: readonly Link[]
}

/** An apply resource in its policy. */
export type Link = Pick<Located, 'document' | 'declaration'>

/** Separator of the resources in a path, as in reports. */
const STEP = ' > '

/**
 * Finds a resource by reference: `type#name` or `type#alias`, with or without the apply resources above it
 * (`apply#base.yaml > file#/etc/motd`), or a name or alias alone. Resources of the policy itself take precedence over
 * those below; below, or without a type, the match must be unique. Otherwise returns a sentence for display.
 */
export function findResource(document: PolicyDocument, reference: string): Located | { readonly message: string } {
  const all = locateAll(document, [])
  const words = (located: Located): readonly string[] => wordsOf(located.declaration)
  const bare = ({ declaration: { name, alias } }: Located): readonly (string | undefined)[] => [name, alias]
  const own = all.filter(({ above }) => above.length === 0)
  const stages: readonly (readonly Located[])[] = [
    all.filter((located) => pathsOf(located).includes(reference)),
    own.filter((located) => words(located).includes(reference)),
    all.filter((located) => words(located).includes(reference)),
    own.filter((located) => bare(located).includes(reference)),
    all.filter((located) => bare(located).includes(reference)),
  ]
  const found = stages.find(({ length }) => length > 0) ?? []
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  const redactor = createRedactor(all.flatMap((located) => located.document.policy.secrets ?? []))
  const message = first === undefined ? unknownResource(document, reference, all) : severalResources(reference, found)
  return { message: redactor.text(message) }
}

/** Path of a resource with the apply resources above it. */
export function pathOf({ above, declaration }: Located): string {
  return [...above, { declaration }].map((link) => link.declaration.id).join(STEP)
}

function locateAll(document: PolicyDocument, above: readonly Link[]): readonly Located[] {
  return document.policy.resources.flatMap((declaration) => {
    const child = document.policy.children?.get(declaration.id)
    const policy = child?.kind === 'loaded' ? child.policy : undefined
    const below = document.children.find((each) => each.policy === policy)
    const link = { document, declaration }
    return [{ ...link, above }, ...(below === undefined ? [] : locateAll(below, [...above, link]))]
  })
}

/** Accepted references of a resource. */
function wordsOf({ id, type, name, alias }: Declaration): readonly string[] {
  return [...new Set([id, `${type}#${name}`, ...(alias === undefined ? [] : [`${type}#${alias}`])])]
}

/** All spellings of the path of a nested resource. */
function pathsOf({ above, declaration }: Located): readonly string[] {
  if (above.length === 0) return []
  return [...above, { declaration }]
    .map((link) => wordsOf(link.declaration))
    .reduce<readonly string[]>(
      (paths, words) => paths.flatMap((path) => words.map((word) => (path === '' ? word : path + STEP + word))),
      [''],
    )
}

function severalResources(reference: string, found: readonly Located[]): string {
  return `"${reference}" names ${found.length} resources, use one of: ${found.map(pathOf).join(', ')}`
}

function unknownResource({ policy }: PolicyDocument, reference: string, all: readonly Located[]): string {
  const candidates = all.flatMap((located) => [
    ...pathsOf(located),
    ...wordsOf(located.declaration),
    located.declaration.name,
  ])
  const hint = didYouMean(reference, candidates)
  const unread = all.flatMap(({ document, declaration }) => {
    const child = document.policy.children?.get(declaration.id)
    if (child === undefined || child.kind === 'loaded') return []
    const why = child.kind === 'ruled-out' ? child.because : child.errors.join('; ')
    return [`; the manifest of ${declaration.id} was not read: ${why}`]
  })
  return `no resource "${reference}" in ${policy.source}${hint}${unread.join('')}`
}
