import { createHash } from 'node:crypto'
import { type TarEntry, tarBytes } from './tar-bytes.ts'

export interface ImageParts {
  /** Its layers from the lowest one on: entries, or the archive as it is. */
  readonly layers: readonly (readonly TarEntry[] | Buffer)[]
  readonly names?: readonly string[]
  readonly architecture?: string
  /** What becomes of a layer before it is stored. */
  readonly pack?: (layer: Buffer) => Buffer
  /** What the configuration says instead. */
  readonly config?: Readonly<Record<string, unknown>>
}

/** The platform of this machine in the words of images. */
export const OWN_ARCHITECTURE: string = process.arch === 'x64' ? 'amd64' : process.arch

export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The files that `docker save` writes for images, in its older form with a directory for each layer. */
export function dockerFiles(...images: readonly ImageParts[]): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>()
  const manifest = images.map((image) => {
    const { layers, config } = built(image)
    files.set(`${sha256(config)}.json`, config)
    const names = layers.map((layer) => {
      const name = `${sha256(layer)}/layer.tar`
      files.set(name, layer)
      return name
    })
    return { Config: `${sha256(config)}.json`, RepoTags: image.names ?? null, Layers: names }
  })
  return files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
}

/** The files of an OCI image layout, with an index for images of several platforms where `nested`. */
export function ociFiles(
  images: readonly ImageParts[],
  shape: 'flat' | 'nested' = 'flat',
): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>([['oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')]])
  const store = (bytes: Buffer): { readonly digest: string; readonly size: number } => {
    files.set(`blobs/sha256/${sha256(bytes)}`, bytes)
    return { digest: `sha256:${sha256(bytes)}`, size: bytes.length }
  }
  const manifests = images.map((image) => {
    const { layers, config, type } = built(image)
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...store(config) },
      layers: layers.map((layer) => ({ mediaType: type, ...store(layer) })),
    }
    return {
      mediaType: manifest.mediaType,
      ...store(Buffer.from(JSON.stringify(manifest))),
      platform: { os: 'linux', architecture: image.architecture ?? OWN_ARCHITECTURE },
      ...(image.names === undefined ? {} : { annotations: { 'org.opencontainers.image.ref.name': image.names[0] } }),
    }
  })
  const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests }
  const nested = { ...index, manifests: [{ mediaType: index.mediaType, ...store(Buffer.from(JSON.stringify(index))) }] }
  return files.set('index.json', Buffer.from(JSON.stringify(shape === 'flat' ? index : nested)))
}

/** The files that `docker save` writes today: an OCI layout, and beside its index the manifest of the older form for the first `saved` images. */
export function savedBothWays(
  images: readonly ImageParts[],
  saved: number = images.length,
): ReadonlyMap<string, Buffer> {
  const files = new Map(ociFiles(images))
  const manifest = images.slice(0, saved).map((image) => {
    const { layers, config } = built(image)
    const nameOf = (bytes: Buffer): string => `blobs/sha256/${sha256(bytes)}`
    return { Config: nameOf(config), RepoTags: image.names ?? null, Layers: layers.map(nameOf) }
  })
  return files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
}

export function savedTar(files: ReadonlyMap<string, Buffer>): Buffer {
  return tarBytes([...files].map(([name, content]) => ({ name, content })))
}

interface Built {
  readonly layers: readonly Buffer[]
  readonly config: Buffer
  readonly type: string
}

function built({ layers, architecture = OWN_ARCHITECTURE, pack = (layer) => layer, config }: ImageParts): Built {
  const plain = layers.map((layer) => (Buffer.isBuffer(layer) ? layer : tarBytes(layer)))
  const diffIds = plain.map((layer) => `sha256:${sha256(layer)}`)
  const said = { os: 'linux', architecture, rootfs: { type: 'layers', diff_ids: diffIds }, ...config }
  const packed = plain.map(pack)
  const suffix = packed[0]?.[0] === 0x1f ? '+gzip' : packed[0]?.[0] === 0x28 ? '+zstd' : ''
  return {
    layers: packed,
    config: Buffer.from(JSON.stringify(said)),
    type: `application/vnd.oci.image.layer.v1.tar${suffix}`,
  }
}
