import { parseDuration } from '../../model/duration.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { isSafeName, readAddressee } from '../nats/names.ts'
import { parseLimits } from './conditions.ts'
import {
  type Act,
  PHASES,
  type RolledPolicy,
  type Rollout,
  ROLLOUT_SCHEMA,
  type RolloutRing,
  type Target,
} from './state.ts'

/**
 * Parses the stored rollout; undefined if invalid. An attacker on the server can write anything: an incomplete rollout,
 * which no limit would stop, is invalid.
 */
export function readRollout(bytes: Uint8Array): Rollout | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
  const { schema, id, reason, author, startedAt, soak, stop, version, phase: word, ...lists } = membersOf(value)
  const phase = PHASES.find((known) => known === word)
  const policies = listOf(lists['policies'], policyOf)
  const rings = listOf(lists['rings'], ringOf)
  const last = actOf(lists['last'])
  if (schema !== ROLLOUT_SCHEMA || phase === undefined || last === undefined) return undefined
  if (policies === undefined || rings === undefined || policies.length === 0 || rings.length === 0) return undefined
  if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id)) return undefined
  if (typeof reason !== 'string' || typeof author !== 'string' || !isTime(startedAt)) return undefined
  if (typeof soak !== 'string' || parseDuration(soak) === undefined) return undefined
  if (typeof stop !== 'string' || !parseLimits('stop', stop).ok) return undefined
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) return undefined
  return { schema, id, policies, reason, author, startedAt, soak, stop, version, rings, phase, last }
}

function policyOf(value: unknown): RolledPolicy | undefined {
  const { name, sha256, text } = membersOf(value)
  return typeof name === 'string' && isSha256(sha256) && isSha256(text) ? { name, sha256, text } : undefined
}

function ringOf(value: unknown): RolloutRing | undefined {
  const { name, releasedAt, ...others } = membersOf(value)
  const targets = listOf(others['targets'], targetOf)
  if (typeof name !== 'string' || !isSafeName(name) || targets === undefined) return undefined
  if (releasedAt === undefined) return { name, targets }
  return isTime(releasedAt) ? { name, targets, releasedAt } : undefined
}

function targetOf(value: unknown): Target | undefined {
  const members = membersOf(value)
  const to = readAddressee(members['to'])
  const before = listOf(members['before'], (each) => (isSha256(each) ? each : undefined))
  const hasBack = members['hasBack']
  return to === undefined || before === undefined || typeof hasBack !== 'boolean' ? undefined : { to, before, hasBack }
}

function actOf(value: unknown): Act | undefined {
  const { at, by, what } = membersOf(value)
  return isTime(at) && typeof by === 'string' && typeof what === 'string' ? { at, by, what } : undefined
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Parses a list; undefined if any member is invalid. */
function listOf<Member>(value: unknown, read: (each: unknown) => Member | undefined): readonly Member[] | undefined {
  if (!Array.isArray(value)) return undefined
  const members = (value as unknown[]).map(read)
  const there = members.filter((each) => each !== undefined)
  return there.length === members.length ? there : undefined
}
