import { ArchiveError } from '../archive/archive-error.ts'
import type { Candidate } from './candidate.ts'
import { type Digest, parseDigest } from './digest.ts'
import { listAt, objectAt, readJson, textOf } from './json.ts'
import { platformOf } from './platform.ts'
import type { ImageStore } from './store.ts'

const MANIFEST = 'manifest.json'

/** A file name that is the hash of its content. */
const BY_HASH = /^(?:blobs\/sha256\/([0-9a-f]{64})|([0-9a-f]{64})\.json)$/

/** The images of a `docker save` archive; undefined for another format. */
export function dockerCandidates(store: ImageStore): readonly Candidate[] | undefined {
  const manifest = readJson(store, MANIFEST)
  if (manifest === undefined) return undefined
  return listAt(manifest, MANIFEST).map((each, index) => candidateOf(store, each, `${MANIFEST}[${index}]`))
}

function candidateOf(store: ImageStore, value: unknown, at: string): Candidate {
  const { Config, RepoTags, Layers } = objectAt(value, at)
  const configName = textOf(Config)
  const digest = hashIn(configName)
  const config = readJson(store, configName, digest)
  if (config === undefined)
    throw new ArchiveError(`${at}.Config names ${JSON.stringify(configName)}, which is not in the image`)
  return {
    names: RepoTags === null || RepoTags === undefined ? [] : listAt(RepoTags, `${at}.RepoTags`).map(textOf),
    digest,
    config: digest,
    platform: platformOf(objectAt(config, configName)),
    open: () => ({
      config: objectAt(config, configName),
      layers: listAt(Layers, `${at}.Layers`).map((layer) => {
        const name = textOf(layer)
        const span = store.find(name)
        if (span === undefined)
          throw new ArchiveError(`${at}.Layers names ${JSON.stringify(name)}, which is not in the image`)
        const layerDigest = name.startsWith('blobs/') ? hashIn(name) : undefined
        return layerDigest === undefined ? { span } : { span, digest: layerDigest }
      }),
    }),
  }
}

function hashIn(name: string): Digest | undefined {
  const found = BY_HASH.exec(name)
  return found === null ? undefined : parseDigest(`sha256:${found[1] ?? found[2] ?? ''}`)
}
