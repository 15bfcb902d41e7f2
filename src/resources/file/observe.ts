import { hash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { defined } from '../../core/defined.ts'
import type { Obstacle } from '../../core/decision.ts'
import type { ContentDigest } from '../../core/drift.ts'
import { absent, known, type Observation, present, type Reading } from '../../core/observation.ts'
import { isSet } from '../../core/property.ts'
import type { Awaitable, ResourceContext } from '../../resource-type/define.ts'
import type { FileStat, Target } from '../../target/target.ts'
import { readAccounts, type WantedAccounts } from '../shared/accounts.ts'
import { compareTexts, ownText, type TextComparison } from '../shared/contents.ts'
import { directoryObstacles, look, parentObstacles, type Sight } from '../shared/paths.ts'
import type { SeenAccess } from './access.ts'
import { type WantedAttributes, wantedMode } from './attributes.ts'
import type { FileContext, FileState, FileWanted, WantedContent } from './model.ts'
import { observeAccess } from './observe-access.ts'

type FileObservation = Observation<FileState, FileContext>

/** Looks at the path and at what deciding needs beside it. Answers at once unless a large file or getent is involved. */
export function observeFile(target: Target, desired: FileWanted, context: ResourceContext): Awaitable<FileObservation> {
  if (desired.ensure === 'absent') return observeUnwanted(target, desired)
  const sight = look(target, desired.name)
  if (sight.kind === 'unknown') return sight
  return andThen(readAttributes(target, desired), (attributes): Awaitable<FileObservation> => {
    if (attributes.kind === 'unknown') return attributes
    if (desired.ensure === 'directory') return observeDirectory(target, desired, attributes.value, sight)
    return observeRegular(target, desired, { attributes: attributes.value, sight, context })
  })
}

function observeUnwanted(target: Target, { name, force }: FileWanted): FileObservation {
  const context = { ensure: 'absent' } as const
  const seen = target.lstat(name)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return absent(context)
  const state = describe(target, { stat: seen.state, throughLink: false })
  if (state.kind !== 'directory') return present(state, context)
  const mounts = target.mountsWithin(name)
  if (force) return present({ ...state, mounts }, context)
  return present({ ...state, mounts, isEmpty: target.isDirectoryEmpty(name) }, context)
}

function observeDirectory(
  target: Target,
  desired: FileWanted,
  attributes: WantedAttributes,
  sight: Observation<Sight>,
): Awaitable<FileObservation> {
  const context = { ensure: 'directory', attributes, obstacles: [] } as const
  if (sight.kind === 'unknown') return sight
  if (sight.kind === 'present') {
    return andThen(observeAccess(target, desired, sight.state, attributes), (access) =>
      present(describe(target, sight.state, access), context),
    )
  }
  return absent({ ...context, obstacles: directoryObstacles(target, dirname(desired.name)) })
}

interface RegularInput {
  readonly attributes: WantedAttributes
  readonly sight: Exclude<Observation<Sight>, { kind: 'unknown' }>
  readonly context: ResourceContext
}

function observeRegular(
  target: Target,
  desired: FileWanted,
  { attributes, sight, context }: RegularInput,
): Awaitable<FileObservation> {
  const wanted = { ensure: 'present', attributes, content: undefined, obstacles: [] } as const
  if (sight.kind === 'present' && sight.state.stat.kind !== 'file') {
    const state = describe(target, sight.state)
    // A link that leads nowhere is replaced by a copy of the source, so the source matters as if nothing were there.
    if (state.kind !== 'symlink') return present(state, wanted)
    return present(state, { ...wanted, content: checkSource(target, desired, context) })
  }
  if (sight.kind === 'absent') {
    const obstacles = parentObstacles(target, desired.name)
    return absent({ ...wanted, obstacles, content: checkSource(target, desired, context) })
  }
  return andThen(observeAccess(target, desired, sight.state, attributes), (access) => {
    const state = describe(target, sight.state, access)
    if (!managesContent(desired)) return present(state, wanted)
    return andThen(wantedDigest(target, desired, context), (content): Awaitable<FileObservation> => {
      if (content.kind !== 'known') return present(state, { ...wanted, content })
      return andThen(target.digest(desired.name, sight.state.stat, context.signal), (observed) => {
        const comparison = compareContents({ target, desired, context }, content.value, observed)
        return present({ content: observed, ...defined({ comparison }), ...state }, { ...wanted, content })
      })
    })
  })
}

interface Scene {
  readonly target: Target
  readonly desired: FileWanted
  readonly context: ResourceContext
}

/** The texts of a content that differs; undefined where nothing differs or nothing was read. */
function compareContents(
  { target, desired: { name, content, source = '' }, context }: Scene,
  wanted: ContentDigest,
  observed: Reading<ContentDigest>,
): TextComparison | undefined {
  if (observed.kind === 'unknown' || observed.value.sha256 === wanted.sha256) return undefined
  return compareTexts(
    { digest: observed.value, read: (maxBytes) => target.readExhibit(name, maxBytes) },
    {
      digest: wanted,
      read: (maxBytes) =>
        content === undefined
          ? target.readExhibit(resolve(context.workingDirectory, source), maxBytes)
          : ownText(Buffer.from(content)),
    },
    context,
  )
}

function describe(target: Target, { stat, throughLink }: Sight, access?: SeenAccess): FileState {
  return {
    kind: stat.kind,
    throughLink,
    mode: stat.mode,
    sizeBytes: stat.sizeBytes,
    linkCount: stat.linkCount,
    access,
    owner: { id: stat.uid, name: target.userName(stat.uid) },
    group: { id: stat.gid, name: target.groupName(stat.gid) },
  }
}

function readAttributes(target: Target, desired: FileWanted): Awaitable<Reading<WantedAttributes>> {
  const mode = wantedMode(desired.mode, desired.ensure)
  if (mode.kind === 'unknown') return mode
  return andThen(
    readIfGiven(desired.owner, (name) => target.userId(name)),
    (owner) =>
      andThen(
        readIfGiven(desired.group, (name) => target.groupId(name)),
        (group) => known({ owner, group, mode: mode.value }),
      ),
  )
}

function readIfGiven(
  written: FileWanted['owner'],
  lookUp: (name: string) => Awaitable<Reading<number | null>>,
): Awaitable<WantedAccounts | undefined> {
  return written === undefined ? undefined : readAccounts(written, lookUp)
}

function managesContent({ content, source }: FileWanted): boolean {
  return content !== undefined || isSet(source)
}

function wantedDigest(
  target: Target,
  { content, source = '' }: FileWanted,
  { workingDirectory, signal }: ResourceContext,
): Awaitable<WantedContent> {
  if (content !== undefined) return digestOfText(content)
  const path = resolve(workingDirectory, source)
  const stat = sourceStat(target, path)
  return stat.kind === 'known' ? target.digest(path, stat.value, signal) : stat
}

/** Whether the content could be provided, for a file that is not there and has nothing to compare. */
function checkSource(
  target: Target,
  { content, source = '' }: FileWanted,
  { workingDirectory }: ResourceContext,
): WantedContent | undefined {
  if (content !== undefined) return { kind: 'available' }
  if (!isSet(source)) return undefined
  const stat = sourceStat(target, resolve(workingDirectory, source))
  return stat.kind === 'known' ? { kind: 'available' } : stat
}

function sourceStat(target: Target, path: string): Reading<FileStat> | Extract<WantedContent, { kind: 'unusable' }> {
  const seen = target.stat(path)
  if (seen.kind === 'unknown') return { ...seen, detail: `source ${seen.detail}` }
  if (seen.kind === 'absent') return unusable({ reason: `source ${path} does not exist`, missing: path })
  if (seen.state.kind === 'file') return known(seen.state)
  return unusable({ reason: `source ${path} is not a regular file` })
}

function unusable(obstacle: Obstacle): Extract<WantedContent, { kind: 'unusable' }> {
  return { kind: 'unusable', obstacle: { ...obstacle, fatal: 'invalid' } }
}

function digestOfText(text: string): Reading<ContentDigest> {
  return known({ sha256: hash('sha256', text, 'hex'), sizeBytes: Buffer.byteLength(text) })
}

/** Goes on at once with a value that is there, so that small local reads cost no turn of the event loop. */
function andThen<From, To>(value: Awaitable<From>, next: (value: From) => Awaitable<To>): Awaitable<To> {
  return value instanceof Promise ? value.then(next) : next(value)
}
