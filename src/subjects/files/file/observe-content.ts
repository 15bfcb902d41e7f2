import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import { acceptedFor, type Acceptance, isAccepted } from '../../../model/acceptance.ts'
import type { Obstacle } from '../../../model/decision.ts'
import type { ContentDigest } from '../../../model/drift.ts'
import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import { isSet } from '../../../model/property.ts'
import type { Awaitable, ResourceContext } from '../../../resource-type/define.ts'
import { CONTENTS } from '../../../resource-type/text-order.ts'
import type { FileStat, PolicyFiles, Target } from '../../../host/target.ts'
import { policyFilesOf } from '../../shared/policy-files.ts'
import { andThen } from '../../shared/and-then.ts'
import { compareTexts, ownText, type TextComparison } from '../../shared/contents.ts'
import type { FileState, FileDesired, JudgedContent, DesiredContent } from './model.ts'

export interface Scene {
  readonly target: Target
  readonly desired: FileDesired
  readonly context: ResourceContext
}

/** Observed and desired content; undefined if the policy does not manage the content. */
export type ObservedContent = Pick<FileState, 'comparison'> & {
  readonly content: DesiredContent | undefined
  readonly digest?: Reading<ContentDigest>
}

/** Reads the content of the regular file in `stat`, as far as the policy manages it. */
export function observeContent(scene: Scene, stat: FileStat): Awaitable<ObservedContent> {
  const { target, desired, context } = scene
  if (typeof desired.content === 'object') return observeAccepted(scene, desired.content)
  return andThen(wantedContent(scene), (content): Awaitable<ObservedContent> => {
    if (content?.kind !== 'known' && content?.kind !== 'nowhere') return { content }
    return andThen(target.files.digest(desired.name, stat, context.signal), (digest) => ({
      content,
      digest,
      ...(content.kind === 'known' ? compareContent(scene, digest, content.value) : concealContent(scene, digest)),
    }))
  })
}

/** Desired content of a file that does not exist. */
export function findContent(scene: Scene): Awaitable<DesiredContent | undefined> {
  const { content, sha256 } = scene.desired
  if (typeof content === 'object') return { kind: 'accepted', written: content, judged: known(judge(content, '')) }
  if (sha256 === undefined) return findSupplied(scene)
  return andThen(wantedContent(scene), (wanted) => (wanted?.kind === 'known' ? { kind: 'available' } : wanted))
}

function wantedContent(scene: Scene): Awaitable<DesiredContent | undefined> {
  const sha256 = scene.desired.sha256?.toLowerCase()
  return andThen(suppliedContent(scene), (supplied): DesiredContent | undefined => {
    if (sha256 === undefined) return supplied
    const nowhere = (obstacle: Obstacle): DesiredContent => ({ kind: 'nowhere', sha256, obstacle })
    switch (supplied?.kind) {
      case undefined:
        return nowhere({ reason: 'no content with this sha256 to write: set a matching source or content' })
      case 'known':
        return supplied.value.sha256 === sha256
          ? supplied
          : nowhere({ reason: `the source or content has another sha256: ${supplied.value.sha256}` })
      case 'unusable': {
        const { fatal: _, ...obstacle } = supplied.obstacle
        return nowhere(obstacle)
      }
      case 'unknown':
        return nowhere({ reason: supplied.detail })
    }
  })
}

type Supplied = Reading<ContentDigest> | Extract<DesiredContent, { kind: 'unusable' }>

/** Content that a fix would write. */
function suppliedContent({ target, desired, context }: Scene): Awaitable<Supplied | undefined> {
  const { content, source } = desired
  if (typeof content === 'string') return known(digestOf(Buffer.from(content)))
  if (!isSet(source)) return undefined
  const path = resolve(context.workingDirectory, source)
  const policyFiles = policyFilesOf(target)
  const stat = sourceStat(policyFiles, path)
  return stat.kind === 'known' ? policyFiles.digest(path, stat.value, context.signal) : stat
}

/** Whether a fix has content to write. */
function findSupplied({ target, desired: { content, source }, context }: Scene): DesiredContent | undefined {
  if (content !== undefined) return { kind: 'available' }
  if (!isSet(source)) return undefined
  const stat = sourceStat(policyFilesOf(target), resolve(context.workingDirectory, source))
  return stat.kind === 'known' ? { kind: 'available' } : stat
}

function sourceStat(
  files: PolicyFiles,
  path: string,
): Reading<FileStat> | Extract<DesiredContent, { kind: 'unusable' }> {
  const seen = files.stat(path)
  if (seen.kind === 'unknown') return { ...seen, detail: `source ${seen.detail}` }
  if (seen.kind === 'absent') return unusableContent({ reason: `source ${path} does not exist`, missing: path })
  if (seen.state.kind === 'file') return known(seen.state)
  return unusableContent({ reason: `source ${path} is not a regular file` })
}

function unusableContent(obstacle: Obstacle): Extract<DesiredContent, { kind: 'unusable' }> {
  return { kind: 'unusable', obstacle: { ...obstacle, fatal: 'invalid' } }
}

export function digestOf(bytes: Uint8Array): ContentDigest {
  return { sha256: hash('sha256', bytes, 'hex'), sizeBytes: bytes.length }
}

/** Texts of a content that differs; empty if nothing differs or was read. */
function compareContent(
  { target, desired: { name, content, source = '' }, context }: Scene,
  observed: Reading<ContentDigest>,
  wanted: ContentDigest,
): { readonly comparison?: TextComparison } {
  if (observed.kind === 'unknown' || observed.value.sha256 === wanted.sha256) return {}
  const comparison = compareTexts(
    { digest: observed.value, read: (maxBytes) => target.files.readExhibit(name, maxBytes) },
    {
      digest: wanted,
      read: (maxBytes) =>
        typeof content === 'string'
          ? ownText(Buffer.from(content))
          : policyFilesOf(target).readExhibit(resolve(context.workingDirectory, source), maxBytes),
    },
    context,
  )
  return { comparison }
}

/** Whether even the fingerprint must be hidden if there is no content to compare. */
function concealContent(
  { target, desired: { name }, context }: Scene,
  observed: Reading<ContentDigest>,
): { readonly comparison?: TextComparison } {
  if (observed.kind === 'unknown') return {}
  const digest = observed.value
  const comparison = compareTexts(
    { digest, read: (maxBytes) => target.files.readExhibit(name, maxBytes) },
    { digest, read: () => ownText(new Uint8Array()) },
    context,
  )
  return comparison.kind === 'withheld' ? { comparison } : {}
}

/** Larger files are not searched. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024

function observeAccepted({ target, desired: { name }, context }: Scene, written: Acceptance<string>): ObservedContent {
  const undecided = (judged: Unknown): ObservedContent => ({ content: { kind: 'accepted', written, judged } })
  // With their own patterns, users could read a file letter by letter.
  if (context.contentsHidden === true) {
    return undecided(unknown('not-observable', 'an untrusted policy (--untrusted) cannot search files'))
  }
  const head = target.files.readHead(name, MAX_SEARCHED_BYTES + 1)
  if (head.kind === 'unknown') return undecided(head)
  const bytes = head.value
  if (bytes.length > MAX_SEARCHED_BYTES) {
    return undecided(unknown('not-observable', `${name}: larger than ${MAX_SEARCHED_BYTES} bytes, not searched`))
  }
  if (!isUtf8(bytes)) return undecided(unknown('not-observable', `${name}: not UTF-8 text`))
  const judged = judge(written, Buffer.from(bytes).toString('utf8'))
  const content = { kind: 'accepted', written, judged: known(judged) } as const
  const digest = digestOf(bytes)
  if (judged.isAccepted) return { content, digest: known(digest) }
  const after = judged.nearest === undefined ? bytes : Buffer.from(judged.nearest)
  const comparison = compareTexts(
    { digest, read: (maxBytes) => target.files.readExhibit(name, maxBytes) },
    { digest: digestOf(after), read: () => ownText(after) },
    context,
  )
  // Without content to compare, the comparison only says whether the fingerprint is hidden.
  const isTold = judged.nearest !== undefined || comparison.kind === 'withheld'
  return { content, digest: known(digest), ...(isTold ? { comparison } : {}) }
}

function judge(accepted: Acceptance<string>, text: string): JudgedContent {
  return { isAccepted: isAccepted(CONTENTS, accepted, text), nearest: acceptedFor(CONTENTS, accepted, text) }
}
