import type { Obstacle } from '../../../model/decision.ts'
import { unknown } from '../../../model/observation.ts'
import { AS_WANTED, type PartialDecision, undecided } from '../../../model/partial-decision.ts'
import { showDifference } from '../../shared/contents.ts'
import type { FileState, RegularContext, DesiredContent } from './model.ts'
import { noNearest } from '../../shared/acceptance-of.ts'

export interface ContentComparison extends PartialDecision {
  /** Whether any fix writes the content. */
  readonly isWritten: boolean
  /** Whether a fix leaves the content unchanged; `obstacles` say why. */
  readonly isLeft: boolean
}

const ALIKE: ContentComparison = { ...AS_WANTED, isWritten: true, isLeft: false }
const KEPT: ContentComparison = { ...ALIKE, isWritten: false }

/** Compares the content of an existing file with the policy. */
export function compareContent(state: FileState, { content }: RegularContext): ContentComparison {
  if (content === undefined) return KEPT
  if (content.kind === 'accepted') return compareAccepted(state, content)
  if (content.kind === 'nowhere') return compareDigest(state, content)
  if (content.kind === 'unusable') {
    const drift = { property: 'content', desired: null, observed: null, note: content.obstacle.reason }
    return { ...ALIKE, drift: [drift] }
  }
  if (content.kind === 'unknown') return { ...ALIKE, ...undecided('content', content) }
  const seen = state.content
  if (content.kind === 'available' || seen === undefined) {
    return { ...ALIKE, ...undecided('content', unknown('internal', 'the content was not read')) }
  }
  if (seen.kind === 'unknown') return { ...ALIKE, ...undecided('content', seen) }
  const [desired, observed] = [content.value, seen.value]
  if (desired.sha256 === observed.sha256) return ALIKE
  return { ...ALIKE, drift: [{ property: 'content', desired, observed, ...showDifference(state.comparison) }] }
}

type Nowhere = Extract<DesiredContent, { kind: 'nowhere' }>

function compareDigest({ content, comparison }: FileState, { sha256, obstacle }: Nowhere): ContentComparison {
  if (content === undefined) return KEPT
  if (content.kind === 'unknown') return { ...KEPT, ...undecided('sha256', content) }
  const observed = content.value.sha256
  if (observed === sha256) return KEPT
  return {
    ...KEPT,
    drift: [{ property: 'sha256', desired: sha256, observed, ...showDifference(comparison) }],
    isLeft: true,
    obstacles: [obstacle],
  }
}

type Accepted = Extract<DesiredContent, { kind: 'accepted' }>

function compareAccepted({ content, comparison }: FileState, { written, judged }: Accepted): ContentComparison {
  if (judged.kind === 'unknown') return { ...KEPT, ...undecided('content', judged) }
  const { isAccepted, nearest } = judged.value
  if (isAccepted) return KEPT
  const observed = content?.kind === 'known' ? content.value : null
  const drift = [{ property: 'content', desired: written, observed, ...showDifference(comparison) }]
  if (nearest === undefined) return { ...KEPT, drift, isLeft: true, obstacles: [{ reason: noNearest('content') }] }
  return { ...ALIKE, drift }
}

/** Obstacles to writing the content of a new or replaced file. */
export function contentObstacles(content: DesiredContent | undefined): readonly Obstacle[] {
  switch (content?.kind) {
    case 'unusable':
    case 'nowhere':
      return [content.obstacle]
    case 'unknown':
      return [{ reason: content.detail }]
    case 'accepted':
      return nearestText(content) === undefined ? [{ reason: noNearest('content') }] : []
    case 'known':
    case 'available':
    case undefined:
      return []
  }
}

/** Accepted content to write; undefined if the policy names one content, or if no accepted content can be written. */
export function nearestText(content: DesiredContent | undefined): string | undefined {
  return content?.kind === 'accepted' && content.judged.kind === 'known' ? content.judged.value.nearest : undefined
}
