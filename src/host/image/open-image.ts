import { existsSync } from 'node:fs'
import { resolve, posix } from 'node:path'
import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { ImageIdentity } from '../../model/run.ts'
import type { AccessReader, BeyondMode } from '../access.ts'
import { decodeAcl } from '../acl.ts'
import { ArchiveError } from '../archive/archive-error.ts'
import { createArchiveMeter } from '../archive/archive-limits.ts'
import { decodeCapabilities } from '../capabilities.ts'
import { answeringPath } from '../live/hanging.ts'
import { errorCode, unreadable } from '../live/system-error.ts'
import { follow } from '../live/walk.ts'
import { readWayBelow } from '../root/access.ts'
import type { RootedSource } from '../root/files.ts'
import { openSystemAtRest } from '../root/rooted-target.ts'
import type { Target } from '../target.ts'
import { refuseDisagreement } from './agreement.ts'
import type { Candidate, OpenedImage } from './candidate.ts'
import { formatDigest, parseDigest, shortDigest } from './digest.ts'
import { dockerCandidates } from './docker-archive.ts'
import { listAt, objectAt } from './json.ts'
import { createLayeredTree } from './layers.ts'
import { IMAGE_LIMITS } from './limits.ts'
import { ociCandidates } from './oci-layout.ts'
import { formatPlatform, isOfThisMachine, isPlatform } from './platform.ts'
import { type Layer, readLayer } from './read-layer.ts'
import { imageSource, type ImagePlace } from './source.ts'
import { openSpool, type Spool } from './spool.ts'
import { type ImageStore, openStore } from './store.ts'
import { type ImageNode, refuseDisputed } from './tree.ts'

const MOST_LISTED = 20

/** An image as a target, or why it was refused. */
export type ImageTarget =
  { readonly kind: 'opened'; readonly target: Target } | { readonly kind: 'refused'; readonly message: string }

/**
 * Opens the system in an image: `PATH`, or `PATH#REFERENCE` if the file contains several. Accepts `docker save` output
 * and OCI layouts, as a tar archive or a directory. Layers are verified and merged in memory; nothing is unpacked into
 * the file system, and decompressed data is kept in an unnamed temporary file.
 */
export async function openImageTarget(spec: string): Promise<ImageTarget> {
  const { path, reference } = partsOf(spec)
  try {
    const store = await openStore(path)
    const chosen = chooseImage(candidatesOf(store), reference)
    const root = await readImage(chosen.open())
    const source = imageSource(root)
    const access = imageAccess(source)
    const image = identityOf(chosen)
    const system = { hostname: image.name ?? shortId(chosen) }
    return {
      kind: 'opened',
      target: openSystemAtRest(source, { kind: 'image', path: resolve(path), image, system, access }),
    }
  } catch (error) {
    if (error instanceof ArchiveError) return { kind: 'refused', message: `${path}: ${error.message}` }
    if (errorCode(error) === undefined) throw error
    return { kind: 'refused', message: unreadable(error, path).detail }
  }
}

/** The text after the last `#` is a reference, unless the whole text is an existing path. */
function partsOf(spec: string): { readonly path: string; readonly reference: string | undefined } {
  const at = spec.lastIndexOf('#')
  if (at < 0 || existsSync(answeringPath(spec))) return { path: spec, reference: undefined }
  return { path: spec.slice(0, at), reference: spec.slice(at + 1) }
}

/** `docker save` now writes an OCI layout too; the familiar names are in its own manifest. */
function candidatesOf(store: ImageStore): readonly Candidate[] {
  const saved = dockerCandidates(store)
  const indexed = ociCandidates(store)
  if (saved !== undefined && indexed !== undefined) refuseDisagreement(saved, indexed)
  const found = saved ?? indexed
  if (found === undefined) {
    throw new ArchiveError(
      'not an image: neither the manifest.json of docker save nor the index.json of an OCI layout found',
    )
  }
  return found
}

async function readImage({ config, layers }: OpenedImage): Promise<ImageNode> {
  const diffIds = listAt(
    objectAt(config['rootfs'], 'rootfs of its configuration')['diff_ids'],
    'rootfs.diff_ids of its configuration',
  )
  if (layers.length === 0) throw new ArchiveError('the image has no layers')
  if (layers.length !== diffIds.length) {
    throw new ArchiveError(`the manifest has ${layers.length} layers, the configuration ${diffIds.length}`)
  }
  const tree = createLayeredTree()
  const meter = createArchiveMeter(
    IMAGE_LIMITS,
    layers.reduce((sum, { span }) => sum + span.sizeBytes, 0),
  )
  let opened: Spool | undefined
  const tools = { tree, meter, spool: (): Spool => (opened ??= openSpool()) }
  for (const [number, found] of layers.entries()) {
    const at = `layer ${number + 1} of ${layers.length}`
    const diffId = parseDigest(diffIds[number])
    if (diffId === undefined) throw new ArchiveError(`${at}: no digest in the configuration`)
    const layer: Layer = { ...found, diffId }
    await readLayer(layer, number, tools).catch((error: unknown) => {
      if (!(error instanceof ArchiveError)) throw error
      throw new ArchiveError(`${at} (${shortDigest(diffId)}): ${error.message}`)
    })
  }
  return tree.root
}

function identityOf({ names, digest, platform }: Candidate): ImageIdentity {
  return { ...defined({ name: names[0], digest: digest && formatDigest(digest) }), platform: formatPlatform(platform) }
}

/** Default hostname of containers. */
function shortId({ digest }: Candidate): string {
  return digest === undefined ? 'image' : digest.hex.slice(0, 12)
}

/**
 * Selects one image. `reference` is a name, a digest or a platform, or several of them separated by commas; the default
 * platform is that of this machine if there are several. Throws an `ArchiveError` that lists the images if none or
 * several match.
 */
function chooseImage(candidates: readonly Candidate[], reference: string | undefined): Candidate {
  const wanted = reference === undefined ? [] : reference.split(',')
  const meant = candidates.filter((candidate) => wanted.every((word) => isMeant(candidate, word)))
  if (meant.length === 0) {
    throw new ArchiveError(`no image ${JSON.stringify(reference ?? '')}; the images are ${list(candidates)}`)
  }
  const platforms = new Set(meant.map(({ platform }) => formatPlatform(platform)))
  const chosen = platforms.size > 1 ? meant.filter(({ platform }) => isOfThisMachine(platform)) : meant
  const [first, ...others] = chosen
  if (first !== undefined && others.every(({ digest }) => isSame(first, digest))) return first
  const why = chosen.length === 0 ? 'no image for this architecture' : 'several images'
  throw new ArchiveError(`${why}; append one to the path as #NAME: ${list(meant)}`)
}

function isSame({ digest }: Candidate, other: Candidate['digest']): boolean {
  return digest !== undefined && other !== undefined && formatDigest(digest) === formatDigest(other)
}

function isMeant({ names, digest, platform }: Candidate, word: string): boolean {
  if (names.includes(word) || isPlatform(platform, word)) return true
  return digest !== undefined && formatDigest(digest) === word
}

function list(candidates: readonly Candidate[]): string {
  if (candidates.length === 0) return 'none'
  const lines = candidates
    .slice(0, MOST_LISTED)
    .map(({ names, digest, platform }) =>
      [
        ...names.map((name) => JSON.stringify(name)),
        ...(names.length === 0 && digest !== undefined ? [shortDigest(digest)] : []),
        `(${formatPlatform(platform)})`,
      ].join(' '),
    )
  const more = candidates.length > MOST_LISTED ? [`${candidates.length - MOST_LISTED} more`] : []
  return [...lines, ...more].join(', ')
}

/** ACLs and capabilities from the layers. Layers cannot contain inode flags. */
function imageAccess({ root }: Pick<RootedSource<ImagePlace>, 'root'>): AccessReader {
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
