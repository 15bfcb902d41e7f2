import type { GossContent, GossType } from '../../../src/goss/resource.ts'
import type { GossAnswer } from '../../support/real-goss.ts'

/** One attribute as both judge it. */
export interface Case {
  readonly type: GossType
  readonly id: string
  readonly attribute: string
  readonly written: GossContent
  readonly ours: 'pass' | 'fail' | 'skip' | 'unknown'
  /** Why driftgate says so. */
  readonly reason: string
  readonly theirs: GossAnswer
}

/** Where driftgate judges otherwise on purpose. */
export interface Difference {
  /** What driftgate does, and Goss does not. */
  readonly name: string
  readonly applies: (found: Case) => boolean
}

const isGossError = ({ theirs }: Case): boolean => theirs.error !== undefined

/** In the order in which they are looked for. */
export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'the rest is skipped where the thing is absent, not where its first attribute is only unexpected or unknown',
    applies: ({ ours, theirs }) => theirs.verdict === 'skip' && ours !== 'skip',
  },
  {
    name: 'what cannot be looked at or compared is unknown and no failure, also below "not"',
    applies: (found) => found.ours === 'unknown' && isGossError(found),
  },
  {
    name: 'a server of the name system that fails does not prove that there is no such name',
    applies: ({ type, ours, reason }) => type === 'dns' && ours === 'unknown' && reason.includes('ESERVFAIL'),
  },
  {
    name: 'UDP never shows that somebody is there',
    applies: ({ type, id, ours }) => type === 'addr' && id.startsWith('udp:') && ours === 'unknown',
  },
  {
    name: 'a service is not known to be stopped where systemd does not run',
    applies: ({ type, attribute, ours }) => type === 'service' && attribute === 'running' && ours === 'unknown',
  },
  {
    name: 'a file system without blocks has no usage',
    applies: ({ type, attribute, ours, reason }) =>
      type === 'mount' && attribute === 'usage' && ours === 'unknown' && reason.includes('no blocks'),
  },
  {
    name: 'only regular files have contents and digests',
    applies: ({ type, ours, reason }) => type === 'file' && ours === 'unknown' && reason.includes('no regular file'),
  },
  {
    name: 'what lies below a file is proved absent',
    applies: (found) => found.attribute === 'exists' && found.theirs.error?.endsWith('not a directory') === true,
  },
  {
    name: 'a mount may be wanted absent',
    applies: (found) => found.type === 'mount' && found.theirs.error === 'Mountpoint not found',
  },
  {
    name: 'what is no link leads to nothing',
    applies: (found) => found.attribute === 'linked-to' && found.theirs.error?.endsWith('invalid argument') === true,
  },
  {
    name: 'an alternative of "or" is tried although an earlier one cannot judge the value',
    applies: (found) => found.ours === 'pass' && isGossError(found) && holds(found.written, 'or'),
  },
  {
    name: '"equal" compares lists of texts by their items',
    applies: ({ written, theirs, ours }) =>
      ours !== 'unknown' && Array.isArray(theirs.actual) && holds(written, 'equal'),
  },
  {
    name: 'patterns may have flags, as in later versions of Goss',
    applies: ({ ours, written }) =>
      ours !== 'unknown' && textsIn(written).some((text) => /^!?\/.*\/[ims]+$/.test(text)),
  },
]

/** The deliberate difference that a case is an example of. */
export function differenceOf(found: Case): Difference | undefined {
  return DIFFERENCES.find(({ applies }) => applies(found))
}

function holds(written: GossContent, word: string): boolean {
  if (typeof written !== 'object' || written === null) return false
  return Object.hasOwn(written, word) || Object.values(written).some((each) => holds(each, word))
}

function textsIn(written: GossContent): readonly string[] {
  if (typeof written === 'string') return [written]
  return typeof written === 'object' && written !== null ? Object.values(written).flatMap(textsIn) : []
}
