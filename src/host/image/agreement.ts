import { ArchiveError } from '../archive/archive-error.ts'
import type { Candidate } from './candidate.ts'
import { type Digest, formatDigest, shortDigest } from './digest.ts'
import { formatPlatform } from './platform.ts'

/**
 * Throws an `ArchiveError` if the manifest of `docker save` and the OCI index beside it describe different images,
 * since runtimes use one or the other. Images of other platforms may be in the index only.
 */
export function refuseDisagreement(saved: readonly Candidate[], indexed: readonly Candidate[]): void {
  for (const image of saved) {
    const twin = indexed.find(({ config }) => isSame(config, image.config))
    if (twin === undefined) throw disagreement(image, 'manifest.json')
    const layers = twin.open().layers.map(({ digest }) => digest)
    const isOfThese = image.open().layers.every(({ digest }, at) => digest === undefined || isSame(digest, layers[at]))
    if (!isOfThese) {
      throw new ArchiveError(`manifest.json and index.json name different layers of ${inWords(image)}`)
    }
  }
  const platforms = new Set(saved.map(({ platform }) => formatPlatform(platform)))
  for (const image of indexed) {
    const isToBeThere = platforms.has(formatPlatform(image.platform))
    if (isToBeThere && !saved.some(({ config }) => isSame(config, image.config)))
      throw disagreement(image, 'index.json')
  }
}

function isSame(one: Digest | undefined, other: Digest | undefined): boolean {
  return one !== undefined && other !== undefined && formatDigest(one) === formatDigest(other)
}

function disagreement(image: Candidate, where: string): ArchiveError {
  return new ArchiveError(
    `manifest.json and index.json describe different images: ${inWords(image)} is only in ${where}; save the image again`,
  )
}

function inWords({ names, config }: Candidate): string {
  const [name] = names
  if (name !== undefined) return JSON.stringify(name)
  return config === undefined ? 'an image without a name' : shortDigest(config)
}
