import { type Acceptance, acceptedFor, isAccepted, mapAcceptance, valuesNamed } from '../../../model/acceptance.ts'
import { isNumericId } from '../../../model/account-id.ts'
import type { Obstacle } from '../../../model/decision.ts'
import { known, type Reading } from '../../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../../model/partial-decision.ts'
import { SETS } from '../../../model/value-orders.ts'
import type { Awaitable } from '../../../resource-type/define.ts'
import type { BeyondMode } from '../../../host/access.ts'
import { type Acl, type NamedEntry, withNamed } from '../../../host/acl.ts'
import {
  type Capabilities,
  formatCapabilities,
  giveSomething,
  giveTheSame,
  NO_CAPABILITIES,
} from '../../../host/capabilities.ts'
import { missingAccount } from '../../shared/accounts.ts'
import type { AccountNames } from '../../shared/lists.ts'
import type { ObservedAccess } from './access-seen.ts'
import { noNearest } from '../../shared/acceptance-of.ts'

// Access control list entries of a policy, in the notation of getfacl(1).

/** An entry for one user or group, as policies write it. */
export const ENTRY = '^(default:)?(user|group):[^:\\s]+:[r-][w-][x-]$'

/** Access control list as written in a policy. */
export type WrittenAcl = readonly string[] | Acceptance<readonly string[], string>

/** The accepted entries of a policy, as written and with ids in place of names. */
export interface DesiredAcl {
  readonly written: WrittenAcl
  readonly accepted: Reading<Acceptance<readonly string[], string>>
  /** Names in the entries without an account. */
  readonly missing: readonly Obstacle[]
}

type Kind = NamedEntry['kind']

interface Parts {
  readonly prefix: string
  readonly kind: Kind
  readonly name: string
  readonly bits: string
}

function partsOf(entry: string): Parts {
  const [bits = '', name = '', kind = ''] = entry.split(':').toReversed()
  return {
    prefix: entry.startsWith('default:') ? 'default:' : '',
    kind: kind === 'user' ? 'user' : 'group',
    name,
    bits,
  }
}

/** All entries of a policy, including those of `fix`. */
function entriesNamed(written: WrittenAcl): readonly string[] {
  return 'map' in written ? written : valuesNamed<readonly string[] | string>(written).flat()
}

/** The user or group with two entries in one list, as written; undefined if all entries are unique. */
export function entryOfTwo(written: WrittenAcl): string | undefined {
  const lists = 'map' in written ? [written] : [written.is, written.fix, written.includes, ...(written.one_of ?? [])]
  for (const list of lists) {
    const seen = new Set<string>()
    for (const entry of list ?? []) {
      const whom = entry.slice(0, entry.lastIndexOf(':'))
      if (seen.has(whom)) return whom
      seen.add(whom)
    }
  }
  return undefined
}

/** Resolves the names in a policy to ids. */
export async function readWantedAcl(
  written: WrittenAcl,
  lookUp: (kind: Kind, name: string) => Awaitable<Reading<number | null>>,
): Promise<DesiredAcl> {
  const entries = new Map<string, string>()
  const missing: Obstacle[] = []
  for (const entry of entriesNamed(written)) {
    const { prefix, kind, name, bits } = partsOf(entry)
    const id = isNumericId(name) ? known(Number(name)) : await lookUp(kind, name)
    if (id.kind === 'unknown') return { written, accepted: id, missing: [] }
    if (id.value === null) missing.push(missingAccount(kind, name))
    entries.set(entry, `${prefix}${kind}:${id.value ?? name}:${bits}`)
  }
  const named = (entry: string): string => entries.get(entry) ?? entry
  if ('map' in written) return { written, accepted: known({ is: written.map(named) }), missing }
  const accepted = mapAcceptance<readonly string[] | string, readonly string[] | string>(written, (value) =>
    typeof value === 'string' ? named(value) : value.map(named),
  )
  // Lists stay lists and entries entries.
  return { written, accepted: known(accepted as Acceptance<readonly string[], string>), missing }
}

/** Whether the policy accepts an entry. */
export function isWanted({ accepted }: DesiredAcl, entry: NamedEntry, prefix: '' | 'default:'): boolean {
  if (accepted.kind === 'unknown') return false
  const { is, one_of: oneOf, includes = [] } = accepted.value
  return is !== undefined || oneOf !== undefined || includes.includes(textOf(entry, prefix))
}

interface JudgedAcl {
  readonly isAccepted: boolean
  readonly observed: string
  /** The nearest accepted entries; undefined if absent. */
  readonly nearest: readonly string[] | undefined
}

function judgeAcl(accepted: Acceptance<readonly string[], string>, beyond: BeyondMode, names: AccountNames): JudgedAcl {
  const entries = [...entriesOf(beyond.acl, ''), ...entriesOf(beyond.defaultAcl, 'default:')]
  const nearest = acceptedFor<readonly (string | number | boolean)[], string | number | boolean>(
    SETS,
    accepted,
    entries.map(({ text }) => text),
  )
  return {
    isAccepted: isAccepted<readonly (string | number | boolean)[], string | number | boolean>(
      SETS,
      accepted,
      entries.map(({ text }) => text),
    ),
    observed: showEntries(entriesSeen(beyond, names)),
    nearest: nearest?.map(String),
  }
}

/** The observed entries for users and groups, as a policy would write them. */
export function entriesSeen({ acl, defaultAcl }: BeyondMode, names: AccountNames): readonly string[] {
  const entries = [...entriesOf(acl, ''), ...entriesOf(defaultAcl, 'default:')]
  return entries.map(({ entry, prefix }) => textOf(entry, prefix, names))
}

/** Formats entries for a report. */
function showEntries(entries: readonly string[]): string {
  return entries.length === 0 ? 'no entries' : entries.join(', ')
}

interface Listed {
  readonly entry: NamedEntry
  readonly prefix: '' | 'default:'
  readonly text: string
}

function entriesOf(acl: Acl | undefined, prefix: Listed['prefix']): readonly Listed[] {
  return (acl?.named ?? []).map((entry) => ({ entry, prefix, text: textOf(entry, prefix) }))
}

function textOf({ kind, id, bits }: NamedEntry, prefix: Listed['prefix'], names?: AccountNames): string {
  const name = names === undefined ? undefined : (kind === 'user' ? names.users : names.groups).get(id)
  const letters = ['r', 'w', 'x'].map((letter, index) => ((bits >> (2 - index)) & 1 ? letter : '-')).join('')
  return `${prefix}${kind}:${name ?? id}:${letters}`
}

/** Result of comparing lists and capabilities with those that the policy names. */
export interface ExplicitComparison extends PartialDecision {
  /** Lists and capabilities after the fix. */
  readonly after: BeyondMode
}

export function compareExplicit(
  { mode }: { readonly mode: number },
  { beyond, names }: ObservedAccess,
  { acl, capabilities }: { readonly acl: DesiredAcl | undefined; readonly capabilities: Capabilities | undefined },
): ExplicitComparison {
  const none = { ...AS_WANTED, after: NOTHING_BEYOND }
  if (beyond === undefined) return none
  if (beyond.kind === 'unknown') {
    const asked = [...(acl === undefined ? [] : ['acl']), ...(capabilities === undefined ? [] : ['capabilities'])]
    return { ...none, ...mergeParts(asked.map((property) => undecided(property, beyond))) }
  }
  const lists = acl === undefined ? { ...none, after: beyond.value } : compareAcl(mode, beyond.value, acl, names)
  const seen = beyond.value.capabilities
  if (capabilities === undefined || giveTheSame(seen, capabilities)) return lists
  const show = (each: Capabilities | undefined): string =>
    each === undefined || !giveSomething(each) ? NO_CAPABILITIES : formatCapabilities(each)
  return {
    ...lists,
    drift: [...lists.drift, { property: 'capabilities', desired: show(capabilities), observed: show(seen) }],
    after: { ...lists.after, capabilities: giveSomething(capabilities) ? capabilities : undefined },
  }
}

const NOTHING_BEYOND: BeyondMode = { acl: undefined, defaultAcl: undefined, capabilities: undefined }

function compareAcl(mode: number, seen: BeyondMode, wanted: DesiredAcl, names: AccountNames): ExplicitComparison {
  const { accepted, written } = wanted
  if (accepted.kind === 'unknown') return { ...undecided('acl', accepted), after: seen }
  const judged = judgeAcl(accepted.value, seen, names)
  if (judged.isAccepted) return { ...AS_WANTED, after: seen }
  const desired = 'map' in written ? showEntries(written) : written
  const obstacles = aclObstacles(wanted, judged)
  const after = obstacles.length > 0 ? seen : { ...seen, ...listsWith(judged.nearest ?? [], seen, mode) }
  return { ...drifted({ property: 'acl', desired, observed: judged.observed }), after, obstacles }
}

/** Reasons why the accepted entries cannot be set. */
function aclObstacles({ missing }: DesiredAcl, { nearest }: JudgedAcl): readonly Obstacle[] {
  if (missing.length > 0) return missing
  return nearest === undefined ? [{ reason: noNearest('acl') }] : []
}

/** The lists of a file with this mode and these entries in place of its own. */
function listsWith(
  texts: readonly string[],
  { acl, defaultAcl }: BeyondMode,
  mode: number,
): { readonly acl: Acl; readonly defaultAcl?: Acl } {
  const plain: Acl = {
    owner: (mode >> 6) & 0o7,
    group: (mode >> 3) & 0o7,
    other: mode & 0o7,
    mask: undefined,
    named: [],
  }
  const ofPrefix = (prefix: string): readonly NamedEntry[] =>
    texts.map(partsOf).flatMap((parts) => (parts.prefix === prefix ? [entryOf(parts)] : []))
  const inherited = ofPrefix('default:')
  const access = withMask(withNamed(acl ?? plain, ofPrefix('')))
  const isInherited = defaultAcl !== undefined || inherited.length > 0
  return { acl: access, ...(isInherited ? { defaultAcl: withMask(withNamed(defaultAcl ?? plain, inherited)) } : {}) }
}

function entryOf({ kind, name, bits }: Parts): NamedEntry {
  return { kind, id: Number(name), bits: Number.parseInt(bits.replaceAll(/[rwx]/g, '1').replaceAll('-', '0'), 2) }
}

/** As in setfacl(1): the mask is the union of the permissions of all entries. */
function withMask(acl: Acl): Acl {
  if (acl.named.length === 0) return acl
  return { ...acl, mask: acl.named.reduce((mask, { bits }) => mask | bits, acl.group) }
}
