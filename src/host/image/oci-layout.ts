import { ArchiveError } from '../archive/archive-error.ts'
import type { Candidate } from './candidate.ts'
import { type Digest, formatDigest, parseDigest } from './digest.ts'
import { blobName, type JsonObject, listAt, objectAt, readBlobJson, readJson, textOf } from './json.ts'
import { formatPlatform, type Platform, platformOf } from './platform.ts'
import type { ImageStore } from './store.ts'

const INDEX = 'index.json'

const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
const LAYER_TYPE =
  /^application\/vnd\.(?:oci\.image\.layer\.(?:nondistributable\.)?v1\.tar(?:\+gzip|\+zstd)?|docker\.image\.rootfs\.(?:foreign\.)?diff\.tar(?:\.gzip|\.zstd)?)$/

const NAMES = ['org.opencontainers.image.ref.name', 'io.containerd.image.name']

// Builders write nested indexes.
const DEEPEST = 4
const MOST_MANIFESTS = 1000

/**
 * The images of an OCI image layout; undefined for another format. @see
 * https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
export function ociCandidates(store: ImageStore): readonly Candidate[] | undefined {
  const index = readJson(store, INDEX)
  if (index === undefined) return undefined
  const found: Candidate[] = []
  collect(objectAt(index, INDEX), INDEX, [])
  return found

  function collect(holder: JsonObject, at: string, names: readonly string[], depth = 1): void {
    if (depth > DEEPEST) throw new ArchiveError(`${at} is nested more than ${DEEPEST} indexes deep`)
    for (const [number, each] of listAt(holder['manifests'], `${at}.manifests`).entries()) {
      const descriptor = objectAt(each, `${at}.manifests[${number}]`)
      const digest = digestOf(descriptor, `${at}.manifests[${number}]`)
      const own = [...names, ...namesOf(descriptor)]
      const type = textOf(descriptor['mediaType'])
      if (INDEX_TYPES.includes(type)) {
        // An image saved for one platform lacks the indexes of the others.
        if (store.find(blobName(digest)) !== undefined)
          collect(readBlobJson(store, digest), formatDigest(digest), own, depth + 1)
      } else if (
        MANIFEST_TYPES.includes(type) &&
        !isAttestation(descriptor) &&
        store.find(blobName(digest)) !== undefined
      ) {
        if (found.length >= MOST_MANIFESTS) throw new ArchiveError(`more than ${MOST_MANIFESTS} images`)
        found.push(candidateOf(store, digest, { names: own, platform: descriptor['platform'] }))
      }
    }
  }
}

/** Builders store attestations beside an image as further images. */
function isAttestation({ annotations }: JsonObject): boolean {
  const type = annotations === undefined ? undefined : objectAt(annotations, 'annotations')['vnd.docker.reference.type']
  return type !== undefined
}

function namesOf({ annotations }: JsonObject): readonly string[] {
  if (annotations === undefined || annotations === null) return []
  const known = objectAt(annotations, 'annotations')
  return NAMES.map((name) => textOf(known[name])).filter((name) => name !== '')
}

/** The description of an image in an index. */
interface Described {
  readonly names: readonly string[]
  readonly platform: unknown
}

/** Throws an `ArchiveError` if index and configuration name different platforms: runtimes select by one and run the other. */
function refuseOtherPlatform(described: unknown, own: Platform): void {
  if (described === undefined || described === null) return
  const { os, architecture } = platformOf(objectAt(described, 'platform'))
  if ((os === own.os || os === '') && (architecture === own.architecture || architecture === '')) return
  const words = [formatPlatform({ os, architecture, variant: '' }), formatPlatform({ ...own, variant: '' })] as const
  throw new ArchiveError(`its index states ${words[0]}, its configuration ${words[1]}; build or save the image again`)
}

function candidateOf(store: ImageStore, digest: Digest, { names, platform }: Described): Candidate {
  const at = formatDigest(digest)
  const manifest = readBlobJson(store, digest)
  const configDigest = digestOf(objectAt(manifest['config'], `config of ${at}`), `config of ${at}`)
  const config = readBlobJson(store, configDigest)
  return {
    names,
    digest,
    config: configDigest,
    platform: platformOf(config),
    open() {
      refuseOtherPlatform(platform, platformOf(config))
      const layers = listAt(manifest['layers'], `layers of ${at}`).map((each, number) => {
        const descriptor = objectAt(each, `layers[${number}] of ${at}`)
        const type = textOf(descriptor['mediaType'])
        if (!LAYER_TYPE.test(type)) {
          throw new ArchiveError(`layers[${number}] of ${at} has an unsupported type (${JSON.stringify(type)})`)
        }
        const layerDigest = digestOf(descriptor, `layers[${number}] of ${at}`)
        const span = store.find(blobName(layerDigest))
        if (span === undefined) throw new ArchiveError(`the layer ${formatDigest(layerDigest)} is missing`)
        return { span, digest: layerDigest }
      })
      return { config, layers }
    },
  }
}

function digestOf({ digest }: JsonObject, what: string): Digest {
  const found = parseDigest(digest)
  if (found === undefined) throw new ArchiveError(`${what} has no sha256 or sha512 digest`)
  return found
}
