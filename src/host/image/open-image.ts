import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { ImageIdentity } from '../../model/run.ts'
import type { Target } from '../target.ts'
import { ArchiveError } from '../archive/archive-error.ts'
import { createArchiveMeter } from '../archive/archive-limits.ts'
import { answeringPath } from '../live/hanging.ts'
import { openSystemAtRest } from '../root/rooted-target.ts'
import { errorCode, unreadable } from '../live/system-error.ts'
import { imageAccess } from './access.ts'
import type { Candidate, OpenedImage } from './candidate.ts'
import { refuseDisagreement } from './agreement.ts'
import { chooseImage } from './choose.ts'
import { formatDigest, parseDigest, shortDigest } from './digest.ts'
import { dockerCandidates } from './docker-archive.ts'
import { listAt, objectAt } from './json.ts'
import { createLayeredTree } from './layers.ts'
import { IMAGE_LIMITS } from './limits.ts'
import { ociCandidates } from './oci-layout.ts'
import { formatPlatform } from './platform.ts'
import { type Layer, readLayer } from './read-layer.ts'
import { imageSource } from './source.ts'
import { openSpool, type Spool } from './spool.ts'
import { type ImageStore, openStore } from './store.ts'
import type { ImageNode } from './tree.ts'

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
