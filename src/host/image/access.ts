import { posix } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { AccessReader, BeyondMode } from '../access.ts'
import { decodeAcl } from '../acl.ts'
import { decodeCapabilities } from '../capabilities.ts'
import type { RootedSource } from '../root/files.ts'
import { readWayBelow } from '../root/access.ts'
import { unreadable } from '../live/system-error.ts'
import { follow } from '../live/walk.ts'
import type { ImagePlace } from './source.ts'
import { type ImageNode, refuseDisputed } from './tree.ts'

/** ACLs and capabilities from the layers. Layers cannot contain inode flags. */
export function imageAccess({ root }: Pick<RootedSource<ImagePlace>, 'root'>): AccessReader {
  const at = <Value>(path: string, ask: (node: ImageNode) => Reading<Value>): Reading<Value> => {
    try {
      const name = posix.basename(path)
      const directory = follow(root, posix.dirname(path))
      const { node } = name === '' ? directory : directory.child(name)
      refuseDisputed(node)
      return ask(node)
    } catch (error) {
      return unreadable(error, path)
    }
  }
  return {
    beyondMode: async (paths) => paths.map((path) => at(path, (node) => beyondMode(node, path))),
    flags: async (paths) => paths.map((path) => at(path, () => known(undefined))),
    wayTo: (path, { followed } = { followed: false }) => readWayBelow(root, path, followed),
    forget: () => undefined,
  }
}

function beyondMode({ attributes }: ImageNode, path: string): Reading<BeyondMode> {
  const acl = decodeAttribute(attributes, 'system.posix_acl_access', decodeAcl)
  const defaultAcl = decodeAttribute(attributes, 'system.posix_acl_default', decodeAcl)
  const capabilities = decodeAttribute(attributes, 'security.capability', decodeCapabilities)
  if (acl === 'garbled' || defaultAcl === 'garbled' || capabilities === 'garbled') {
    return unknown('not-observable', `${path}: malformed access control list or capabilities in the image`)
  }
  return known({ acl, defaultAcl, capabilities })
}

function decodeAttribute<Value>(
  attributes: ImageNode['attributes'],
  name: string,
  decode: (bytes: Uint8Array) => Value | undefined,
): Value | undefined | 'garbled' {
  const bytes = attributes.get(name)
  return bytes === undefined ? undefined : (decode(bytes) ?? 'garbled')
}
