import { formatMode } from '../../../model/mode.ts'
import { known } from '../../../model/observation.ts'
import { decodeAcl, encodeAcl } from '../../../host/acl.ts'
import { decodeCapabilities, encodeCapabilities } from '../../../host/capabilities.ts'
import type { AccessChange } from '../../../host/remediator.ts'
import type { FileStat, Target } from '../../../host/target.ts'
import type { UndoHandler } from '../../../host/undo-handler.ts'

/** Metadata of an item at a path. */
type AttributesState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: FileStat['kind']
      readonly uid: number
      readonly gid: number
      readonly mode: number
      /** Absent if unknown; it is then neither compared nor restored. */
      readonly access?: Access
    }

/**
 * ACLs and capabilities in hex, as stored by the system, and the immutable flag. Null if the item has no such
 * attribute.
 */
interface Access {
  readonly acl: string | null
  readonly defaultAcl: string | null
  readonly capabilities: string | null
  readonly immutable: boolean
}

/**
 * Handler for owner, group, mode, ACLs, capabilities and the immutable flag; for a created directory, also its
 * existence.
 */
export const attributes: UndoHandler<AttributesState> = {
  async look(target, name) {
    const seen = target.files.lstat(name)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known({ kind: 'absent' })
    const { kind, uid, gid, mode } = seen.state
    const access = await accessOf(target, name, kind)
    return known({ kind, uid, gid, mode, ...(access !== undefined && { access }) })
  },
  describe(state) {
    if (state.kind === 'absent') return 'absent'
    const { kind, uid, gid, mode, access } = state
    const beyond = Object.entries(access ?? {}).flatMap(([noun, value]) =>
      value === null || value === false ? [] : [noun],
    )
    return [kind, `${formatMode(mode)} ${uid}:${gid}`, ...beyond].join(', ')
  },
  detail: (state) => (state.kind === 'absent' ? '' : JSON.stringify(state.access ?? 'lists and capabilities unknown')),
  async putBack(name, { before, now }, { remediator }) {
    if (before.kind === 'absent') return remediator.remove(name, { recursive: false })
    const { uid, gid, mode, access } = before
    const present = now.kind === 'absent' ? undefined : now.access
    if (present?.immutable === true) {
      const freed = await remediator.setAccess(name, { immutable: false })
      if (freed.kind === 'failed') return freed
    }
    const isMissing = now.kind === 'absent' && before.kind === 'directory'
    const wanted = { uid, gid, mode, exact: true }
    const set = await (isMissing
      ? remediator.createDirectory(name, wanted)
      : remediator.adjustAttributes(name, () => wanted))
    if (set.kind === 'failed' || access === undefined || (present === undefined && !isMissing)) return set
    const change = changeOf(access, present ?? NO_ACCESS)
    return Object.keys(change).length === 0 ? set : remediator.setAccess(name, change)
  },
}

const NO_ACCESS: Access = { acl: null, defaultAcl: null, capabilities: null, immutable: false }

async function accessOf({ access }: Target, name: string, kind: FileStat['kind']): Promise<Access | undefined> {
  if (kind !== 'file' && kind !== 'directory') return undefined
  const [[beyond], [flags]] = await Promise.all([access.beyondMode([name]), access.flags([name])])
  if (beyond?.kind !== 'known') return undefined
  const { acl, defaultAcl, capabilities } = beyond.value
  return {
    acl: acl === undefined ? null : hex(encodeAcl(acl)),
    defaultAcl: defaultAcl === undefined ? null : hex(encodeAcl(defaultAcl)),
    capabilities: capabilities === undefined ? null : hex(encodeCapabilities(capabilities)),
    immutable: flags?.kind === 'known' && flags.value?.immutable === true,
  }
}

/** Only differences: an absent attribute cannot be removed. A mode change also changes the mask of an ACL. */
function changeOf(before: Access, now: Access): AccessChange {
  return {
    ...(before.acl === null && now.acl === null ? {} : { acl: read(before.acl, decodeAcl) }),
    ...(before.defaultAcl === now.defaultAcl ? {} : { defaultAcl: read(before.defaultAcl, decodeAcl) }),
    // A change of the owner removes capabilities.
    ...(before.capabilities === null && now.capabilities === null
      ? {}
      : { capabilities: read(before.capabilities, decodeCapabilities) }),
    ...(before.immutable ? { immutable: true } : {}),
  }
}

function read<Value>(text: string | null, decode: (bytes: Uint8Array) => Value | undefined): Value | null {
  return text === null ? null : (decode(Buffer.from(text, 'hex')) ?? null)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
