import type { GossContent, GossType } from '../../../../../src/subjects/goss/files/resource.ts'
import type { GossAnswer } from '../../../../support/real-goss.ts'

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
  /** How the line of docs/guide/goss.md begins that tells of it. */
  readonly guide: string
  readonly applies: (found: Case) => boolean
}

const isGossError = ({ theirs }: Case): boolean => theirs.error !== undefined

/** In the order in which they are looked for. */
export const DIFFERENCES: readonly Difference[] = [
  {
    guide: 'A gate (',
    applies: ({ ours, theirs }) => theirs.verdict === 'skip' && ours !== 'skip',
  },
  {
    guide: 'A value that a matcher cannot judge',
    applies: (found) => found.ours === 'unknown' && isGossError(found),
  },
  {
    guide: 'A name is not resolvable',
    applies: ({ type, ours, reason }) => type === 'dns' && ours === 'unknown' && reason.includes('ESERVFAIL'),
  },
  {
    guide: 'An address of UDP',
    applies: ({ type, id, ours }) => type === 'addr' && id.startsWith('udp:') && ours === 'unknown',
  },
  {
    guide: 'A service is not known to be stopped',
    applies: ({ type, attribute, ours }) => type === 'service' && attribute === 'running' && ours === 'unknown',
  },
  {
    guide: '`usage` of a file system',
    applies: ({ type, attribute, ours, reason }) =>
      type === 'mount' && attribute === 'usage' && ours === 'unknown' && reason.includes('no blocks'),
  },
  {
    guide: 'Contents and digests',
    applies: ({ type, ours, reason }) => type === 'file' && ours === 'unknown' && reason.includes('not a regular file'),
  },
  {
    guide: 'A path below a file',
    applies: (found) => found.attribute === 'exists' && found.theirs.error?.endsWith('not a directory') === true,
  },
  {
    guide: '`mount: {exists: false}`',
    applies: (found) => found.type === 'mount' && found.theirs.error === 'Mountpoint not found',
  },
  {
    guide: '`linked-to` of what is no link',
    applies: (found) => found.attribute === 'linked-to' && found.theirs.error?.endsWith('invalid argument') === true,
  },
  {
    guide: '`or` goes on',
    applies: (found) => found.ours === 'pass' && isGossError(found) && holds(found.written, 'or'),
  },
  {
    guide: '`equal` and a list',
    applies: ({ written, theirs, ours }) =>
      ours !== 'unknown' && Array.isArray(theirs.actual) && holds(written, 'equal'),
  },
  {
    guide: 'Patterns may have the flags',
    applies: ({ ours, written }) =>
      ours !== 'unknown' && textsIn(written).some((text) => /^!?\/.*\/[ims]+$/.test(text)),
  },
]

/** The lines of docs/guide/goss.md about what no document of the comparison can show: the test of each, and words in it. */
export const SHOWN_ELSEWHERE: readonly (readonly [guide: string, test: string, words: string])[] = [
  [
    'What cannot be read, asked or run',
    'subjects/goss/files/measure/local.test.ts',
    'without a package database a package is unknown',
  ],
  [
    'A service whose name is a pattern',
    'subjects/goss/files/measure/local.test.ts',
    'a service called %j is not absent',
  ],
  ['A user or group of digits', 'subjects/goss/files/measure/local.test.ts', 'a %s of digits is a name and no id'],
  ['A package that is installed and meant', 'subjects/packages/live/dpkg-status.test.ts', 'is meant to be removed'],
  [
    'A body that comes compressed',
    'subjects/goss/files/measure/network.test.ts',
    'a body that comes in %s is unpacked',
  ],
  [
    'What is sent with a request',
    'subjects/goss/files/measure/network.test.ts',
    'what was sent with a request stays with its server',
  ],
  ['An empty `contain-elements`', 'subjects/goss/files/read.test.ts', 'an empty "contain-elements"'],
  ['`equal: 5`', 'subjects/goss/files/matchers/judge.test.ts', "'gjson-equal-number': 'pass'"],
  ['Ranges of `semver-constraint`', 'subjects/goss/files/matchers/judge.test.ts', "'semver-or-without-spaces': 'pass'"],
  ['`xml`', 'subjects/goss/files/read.test.ts', 'a matcher that is not judged'],
  ['An unknown type', 'subjects/goss/files/read.test.ts', 'an unknown type'],
  ['A file that asks for nothing', 'policy/goss/policy.test.ts', 'that asks for nothing is refused, as a mistake'],
  ['Numbers are those of YAML 1.2', 'subjects/goss/files/matchers/judge.test.ts', "'yaml-octal-of-1.1': 'fail'"],
  ['`readFile`', 'policy/goss/policy.test.ts', 'read files beside the document'],
  [
    'An included file that cannot be used',
    'policy/goss/policy.test.ts',
    'take the place of what came before, and say so',
  ],
  ['`retry_count`', 'subjects/goss/contract.test.ts', 'retry_count'],
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
