import { isUtf8 } from 'node:buffer'
import { unreadable } from '../../../model/differences.ts'
import type { UnknownProperty } from '../../../model/drift.ts'
import { formatValue } from '../../../model/format-value.ts'
import { formatMode } from '../../../model/mode.ts'
import { unknown, type Unknown } from '../../../model/observation.ts'
import type { Captured, CaptureContext, ResourceCapture } from '../../../resource-type/capture.ts'
import { formatCapabilities } from '../../../host/capabilities.ts'
import { accountName } from '../../shared/accounts.ts'
import { KIND_WORDS } from '../../shared/paths.ts'
import { decideFile } from './decide.ts'
import { entriesSeen } from './lists.ts'
import type { FileContext, FileState, FileDesired } from './model.ts'
import { observeFile } from './observe.ts'

/** Captures owner, group, permissions, access beyond them, and the content if it is world-readable. */
export const fileCapture: ResourceCapture<FileState, FileContext> = {
  look: { ensure: 'present', if_absent: 'compliant' },
  async describe(seen, context): Promise<Captured> {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'absent' } }
    const { kind, owner, group, mode } = seen.state
    if (kind !== 'file' && kind !== 'directory') {
      return unknown('not-observable', `${context.name} is a ${KIND_WORDS[kind]}, which no file resource describes`)
    }
    const content = kind === 'file' ? await captureContent(context) : {}
    const attributes = {
      ensure: kind === 'file' ? ('present' as const) : ('directory' as const),
      owner: accountName(owner),
      group: accountName(group),
      mode: formatMode(mode),
      // A fix must not create a file whose content is not captured.
      ...(kind === 'file' && content.properties?.['content'] === undefined ? { if_absent: 'drift' as const } : {}),
    }
    const access = await captureAccess(attributes, context)
    if (access.kind === 'unknown') return access
    return {
      kind: 'present',
      properties: { ...attributes, ...access.properties, ...content.properties },
      ...(content.unread === undefined ? {} : { unread: [content.unread] }),
      notes: [...(content.note === undefined ? [] : [content.note]), ...access.notes],
    }
  },
}

type Properties = Readonly<Record<string, unknown>>

interface CapturedContent {
  readonly properties?: Properties
  readonly unread?: UnknownProperty
  readonly note?: string
}

/** Larger files are not captured as text. */
const MAX_TEXT_BYTES = 16 * 1024

/** Captures text only if it is world-readable and no other user can redirect the path. */
async function captureContent({
  name,
  target,
  signal,
  contents,
  isPrivateTaken,
}: CaptureContext): Promise<CapturedContent> {
  if (contents === 'none') return {}
  const shown = target.files.readExhibit(name, contents === 'text' ? MAX_TEXT_BYTES + 1 : 0)
  if (shown.kind === 'unknown') return { unread: unreadable('sha256', shown) }
  const isPublic = shown.value.kind === 'shown' && shown.value.privateBy === undefined
  if (!isPublic && !isPrivateTaken) {
    return { note: 'it is not world-readable, so its sha256 is omitted; use --private to include it' }
  }
  const text = isPublic && contents === 'text' && shown.value.kind === 'shown' ? textOf(shown.value.bytes) : undefined
  if (text !== undefined) return { properties: { content: text } }
  const stat = target.files.stat(name)
  if (stat.kind !== 'present')
    return { unread: unreadable('sha256', unknown('not-observable', `${name} no longer exists`)) }
  const digest = await target.files.digest(name, stat.state, signal)
  if (digest.kind === 'unknown') return { unread: unreadable('sha256', digest) }
  return { properties: { sha256: digest.value.sha256 } }
}

/** Text without control characters except tabs and line feeds, which every policy can hold. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_TEXT_BYTES || !isUtf8(bytes)) return undefined
  const text = Buffer.from(bytes).toString('utf8')
  return /(?![\n\t])\p{Cc}/u.test(text) ? undefined : text
}

interface CapturedAccess {
  readonly kind: 'captured'
  readonly properties: Properties
  readonly notes: readonly string[]
}

type Attributes = Pick<FileDesired, 'ensure' | 'owner' | 'group' | 'mode'>

/** Captures access beyond the attributes: lists and capabilities; judges the directories on the path. */
async function captureAccess(attributes: Attributes, context: CaptureContext): Promise<CapturedAccess | Unknown> {
  const plain = await judge(attributes, context)
  if (plain.kind === 'unknown' || plain.excess === undefined) return asCaptured(plain, {}, [])
  const { beyond, names } = plain.state.access ?? {}
  const seen = beyond?.kind === 'known' ? beyond.value : undefined
  const entries = seen === undefined || names === undefined ? [] : entriesSeen(seen, names)
  const named = {
    ...(entries.length === 0 ? {} : { acl: entries }),
    ...(seen?.capabilities === undefined ? {} : { capabilities: formatCapabilities(seen.capabilities) }),
  }
  const judged = await judge({ ...attributes, ...named }, context)
  if (judged.kind === 'unknown' || judged.excess === undefined) return asCaptured(judged, named, [])
  const note = `access beyond owner, group and mode, accepted by access: any: ${judged.excess}`
  return asCaptured(judged, { ...named, access: 'any' }, [note])
}

type Judged = { readonly kind: 'judged'; readonly state: FileState; readonly excess: string | undefined } | Unknown

async function judge(properties: Partial<FileDesired> & Attributes, context: CaptureContext): Promise<Judged> {
  const { name, target, signal } = context
  const wanted: FileDesired = { name, force: false, if_absent: 'drift', ...properties }
  const seen = await observeFile(target, wanted, { workingDirectory: '/', signal, showDiff: false })
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return unknown('not-observable', `${name} no longer exists`)
  const excess = decideFile(wanted, seen).drift.find(({ property }) => property === 'access')
  return { kind: 'judged', state: seen.state, excess: excess === undefined ? undefined : formatValue(excess.observed) }
}

function asCaptured(judged: Judged, properties: Properties, notes: readonly string[]): CapturedAccess | Unknown {
  return judged.kind === 'unknown' ? judged : { kind: 'captured', properties, notes }
}
