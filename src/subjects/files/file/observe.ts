import { dirname } from 'node:path'
import { defined } from '../../../model/defined.ts'
import { absent, known, type Observation, present, type Reading } from '../../../model/observation.ts'
import type { Awaitable, ResourceContext } from '../../../resource-type/define.ts'
import type { Target } from '../../../host/target.ts'
import { readAccounts, type DesiredAccounts } from '../../shared/accounts.ts'
import { andThen } from '../../shared/and-then.ts'
import { directoryObstacles, look, parentObstacles, type Sight } from '../../shared/paths.ts'
import type { ObservedAccess } from './access-seen.ts'
import { type DesiredAttributes, wantedMode } from './attributes.ts'
import { readWantedAcl } from './lists.ts'
import type { FileContext, FileState, FileDesired } from './model.ts'
import { observeAccess, observeAccessOfNew, observeFlagged, observeFlags } from './observe-access.ts'
import { findContent, observeContent } from './observe-content.ts'

type FileObservation = Observation<FileState, FileContext>

/** Looks at the path and at what deciding needs beside it. Answers at once unless a large file or getent is involved. */
export function observeFile(
  target: Target,
  desired: FileDesired,
  context: ResourceContext,
): Awaitable<FileObservation> {
  if (desired.ensure === 'absent') return observeUnwanted(target, desired)
  const sight = look(target, desired.name)
  if (sight.kind === 'unknown') return sight
  return andThen(readAttributes(target, desired), (attributes): Awaitable<FileObservation> => {
    if (attributes.kind === 'unknown') return attributes
    if (desired.ensure === 'directory') return observeDirectory(target, desired, attributes.value, sight)
    return observeRegular(target, desired, { attributes: attributes.value, sight, context })
  })
}

function observeUnwanted(target: Target, { name, force }: FileDesired): Awaitable<FileObservation> {
  const context = { ensure: 'absent' } as const
  const seen = target.files.lstat(name)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return absent(context)
  const state = describe(target, { stat: seen.state, throughLink: false })
  // What a link leads to stays, and with it all that is mounted there.
  if (state.kind === 'symlink') return present(state, context)
  const mounts = target.files.mountsWithin(name)
  if (state.kind !== 'directory') return present({ ...state, mounts }, context)
  if (!force) return present({ ...state, mounts, isEmpty: target.files.isDirectoryEmpty(name) }, context)
  return andThen(observeFlagged(target, name), (flagged) =>
    present({ ...state, mounts, ...defined({ flagged }) }, context),
  )
}

function observeDirectory(
  target: Target,
  desired: FileDesired,
  attributes: DesiredAttributes,
  sight: Observation<Sight>,
): Awaitable<FileObservation> {
  const context = { ensure: 'directory', attributes, obstacles: [] } as const
  if (sight.kind === 'unknown') return sight
  if (sight.kind === 'present') {
    return andThen(observeAccess(target, desired, sight.state, attributes), (access) =>
      andThen(observeFlags(target, desired, sight.state), (flags) =>
        present(describe(target, sight.state, access, flags), context),
      ),
    )
  }
  const obstacles = directoryObstacles(target, dirname(desired.name))
  return andThen(observeAccessOfNew(target, desired, attributes), (seen) =>
    absent({ ...context, obstacles, ...defined({ accessOfNew: seen }) }),
  )
}

interface RegularInput {
  readonly attributes: DesiredAttributes
  readonly sight: Exclude<Observation<Sight>, { kind: 'unknown' }>
  readonly context: ResourceContext
}

function observeRegular(
  target: Target,
  desired: FileDesired,
  { attributes, sight, context }: RegularInput,
): Awaitable<FileObservation> {
  const inPlace = { mountPoints: context.writeMountPoints ?? false, linked: context.keepLinks ?? false }
  const wanted = { ensure: 'present', attributes, content: undefined, obstacles: [], inPlace } as const
  if (sight.kind === 'present' && sight.state.stat.kind !== 'file') {
    const state = describe(target, sight.state)
    // A link that leads nowhere is replaced by a copy of the source, so the source matters as if nothing were there.
    if (state.kind !== 'symlink') return present(state, wanted)
    return andThen(findContent({ target, desired, context }), (content) => present(state, { ...wanted, content }))
  }
  if (sight.kind === 'absent') {
    const obstacles = parentObstacles(target, desired.name)
    return andThen(observeAccessOfNew(target, desired, attributes), (seen) =>
      andThen(findContent({ target, desired, context }), (content) =>
        absent({ ...wanted, obstacles, content, ...defined({ accessOfNew: seen }) }),
      ),
    )
  }
  return andThen(observeAccess(target, desired, sight.state, attributes), (access) =>
    andThen(observeFlags(target, desired, sight.state), (flags) => {
      const state = describe(target, sight.state, access, flags)
      return andThen(
        observeContent({ target, desired, context }, sight.state.stat),
        ({ content, digest, comparison }) => {
          const mounts = comparison && target.files.mountsWithin(desired.name)
          return present({ ...state, content: digest, comparison, mounts }, { ...wanted, content })
        },
      )
    }),
  )
}

function describe(
  target: Target,
  { stat, throughLink }: Sight,
  access?: ObservedAccess,
  flags?: FileState['flags'],
): FileState {
  return {
    kind: stat.kind,
    throughLink,
    mode: stat.mode,
    sizeBytes: stat.sizeBytes,
    linkCount: stat.linkCount,
    access,
    flags,
    owner: { id: stat.uid, name: target.names.userName(stat.uid) },
    group: { id: stat.gid, name: target.names.groupName(stat.gid) },
  }
}

function readAttributes(target: Target, desired: FileDesired): Awaitable<Reading<DesiredAttributes>> {
  const mode = wantedMode(desired.mode, desired.ensure)
  if (mode.kind === 'unknown') return mode
  return andThen(
    readIfGiven(desired.owner, (name) => target.names.userId(name)),
    (owner) =>
      andThen(
        readIfGiven(desired.group, (name) => target.names.groupId(name)),
        (group) => {
          if (desired.acl === undefined) return known({ owner, group, mode: mode.value })
          const lookUp = (kind: 'user' | 'group', name: string): Awaitable<Reading<number | null>> =>
            kind === 'user' ? target.names.userId(name) : target.names.groupId(name)
          return readWantedAcl(desired.acl, lookUp).then((acl) => known({ owner, group, mode: mode.value, acl }))
        },
      ),
  )
}

function readIfGiven(
  written: FileDesired['owner'],
  lookUp: (name: string) => Awaitable<Reading<number | null>>,
): Awaitable<DesiredAccounts | undefined> {
  return written === undefined ? undefined : readAccounts(written, lookUp)
}
