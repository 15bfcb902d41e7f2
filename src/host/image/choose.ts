import { ArchiveError } from '../archive/archive-error.ts'
import type { Candidate } from './candidate.ts'
import { formatDigest, shortDigest } from './digest.ts'
import { formatPlatform, isOfThisMachine, isPlatform } from './platform.ts'

/**
 * Selects one image. `reference` is a name, a digest or a platform, or several of them separated by commas; the default
 * platform is that of this machine if there are several. Throws an `ArchiveError` that lists the images if none or
 * several match.
 */
export function chooseImage(candidates: readonly Candidate[], reference: string | undefined): Candidate {
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

const MOST_LISTED = 20

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
