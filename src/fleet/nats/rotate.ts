import { DAY_MS } from '../../model/duration.ts'
import { createPublicKey } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { makeKey, readPrivateKey } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { activeOf } from '../census.ts'
import { openFleet } from '../fleet.ts'
import { lastOfEach } from './assignments.ts'
import { enter, loginOfContext } from './connect.ts'
import { fleetHome, pemOf, publicPemOf } from './home.ts'
import { certifyAnew } from './move.ts'
import { CONNECTIONS_KEY_FILE, POLICY_KEY_FILE, VIEWER_KEY_FILE } from './names.ts'
import { keyOfSeed, publicNkey, seedOf } from './nkey.ts'
import { tellHosts } from './notice.ts'
import { asOperator, type Operator } from './operator.ts'
import { SERVER_FILES } from './server-config.ts'

/** State after a step: both keys are valid, the new keys are in use, or the former keys have ended. */
export type RotationStep = 'both' | 'switched' | 'finished'

export interface RotationSettings {
  readonly author: string
  /** True if viewer and operator commands also reject signatures by the former keys. */
  readonly isLeaked: boolean
  /** True to finish although some hosts have not taken the new key. */
  readonly leavesHosts: boolean
}

/** Connection keys, each stored next to a context. */
const LOGINS = ['operator', 'viewer', 'connections'] as const
type LoginName = (typeof LOGINS)[number]

/**
 * Replaces the policy key, the connection keys of operator and viewer, and the server certificate, one step per call,
 * so that hosts always trust the key in use. Throws an `OperatorError`; the step must then be repeated.
 */
export async function rotate(directory: string, settings: RotationSettings): Promise<RotationStep> {
  const place = placeOf(directory)
  try {
    if (existsSync(place.former('policy.pem'))) return await finish(place, settings)
    return existsSync(place.next('policy.pem')) ? await useNext(place, settings) : await beginRotation(place, settings)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot replace the keys in ${directory}: ${systemReason(error)}`, { cause: error })
  }
}

function placeOf(directory: string) {
  const home = fleetHome(directory)
  const next = (name: string): string => join(home.operator('next'), name)
  const former = (name: string): string => join(home.operator('former'), name)
  return { directory, home, next, former }
}

type Place = ReturnType<typeof placeOf>

/** Files with the seed of a connection key. */
function seedFiles({ home }: Place, login: LoginName): readonly [string, ...string[]] {
  if (login !== 'connections') return [login === 'operator' ? home.operator('nats.nk') : home.viewer('nats.nk')]
  return [home.operator(CONNECTIONS_KEY_FILE), home.viewer(CONNECTIONS_KEY_FILE)]
}

function nkeyIn(path: string): string {
  const key = keyOfSeed(readFileSync(path, 'utf8').trim())
  if (key === undefined) throw new OperatorError(`${path} is not a key seed`)
  return publicNkey(key)
}

/** Creates the new keys; hosts and server trust them in addition to the current ones. */
async function beginRotation(place: Place, { author }: RotationSettings): Promise<RotationStep> {
  const { directory, home, next } = place
  mkdirSync(home.operator('next'), { recursive: true, mode: 0o700 })
  const policy = makeKey()
  const keys = new Map(LOGINS.map((login) => [login, makeKey()] as const))
  const trusted = publicPemOf(policy) + readFileSync(home.publicPolicyKey, 'utf8')
  await asOperator(directory, async ({ line, note }) => {
    await tellHosts(line, [readPrivateKey(home.policyKey)], { policyKeys: trusted })
    await note({ act: 'rotate', author, about: 'keys', text: 'created new keys, valid besides the former ones' })
  })
  for (const path of [home.publicPolicyKey, home.viewer(POLICY_KEY_FILE)]) replaceContent(path, trusted, 0o644)
  let config = readFileSync(home.server(SERVER_FILES.config), 'utf8')
  for (const [login, key] of keys) {
    config = withUser(config, nkeyIn(seedFiles(place, login)[0]), publicNkey(key))
    replaceContent(next(`${login}.nk`), `${seedOf(key)}\n`, 0o600)
    if (login !== 'viewer') continue
    const viewers = publicPemOf(key) + readFileSync(home.viewerKey, 'utf8')
    for (const path of [home.viewerKey, home.viewer(VIEWER_KEY_FILE)]) replaceContent(path, viewers, 0o644)
  }
  replaceContent(home.server(SERVER_FILES.config), config, 0o644)
  if (existsSync(home.authorityKey)) certifyAnew(home, loginOfContext(home.context).url)
  // Marks the step as complete.
  replaceContent(next('policy.pem'), pemOf(policy), 0o600)
  return 'both'
}

/** Signs the assignments in force with the new key and switches to the new keys. */
async function useNext(place: Place, { author }: RotationSettings): Promise<RotationStep> {
  const { directory, home, next, former } = place
  const login = loginOfContext(home.context)
  const line = await enter({ ...login, seed: readFileSync(next('operator.nk'), 'utf8').trim() }).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new OperatorError(
        `the server does not accept the new keys: copy ${directory}/server to it and reload it first (${reason})`,
        { cause: error },
      )
    },
  )
  await line.close()
  mkdirSync(home.operator('former'), { recursive: true, mode: 0o700 })
  const formerPem = readFileSync(home.policyKey, 'utf8')
  for (const name of LOGINS) {
    const [first] = seedFiles(place, name)
    replaceContent(former(`${name}.nk`), readFileSync(first), 0o600)
    for (const path of seedFiles(place, name)) replaceContent(path, readFileSync(next(`${name}.nk`)), 0o600)
  }
  replaceContent(home.policyKey, readFileSync(next('policy.pem')), 0o600)
  const version = await asOperator(directory, async (operator) => {
    const versions = await signAgain(operator, author)
    await operator.note({
      act: 'rotate',
      author,
      about: 'keys',
      text: 'uses the new keys, and signed all assignments again',
    })
    return versions
  })
  replaceContent(former('version'), String(version), 0o600)
  replaceContent(former('policy.pem'), formerPem, 0o600)
  return 'switched'
}

/** Signs all assignments again; returns the lowest new version, which a host only has if it trusts the new key. */
async function signAgain({ assign, assignments }: Operator, author: string): Promise<number> {
  let lowest = Infinity
  for (const { to, said } of lastOfEach(await assignments())) {
    if ('message' in said) continue
    const { policies, interval } = said.assignment
    const bundles = policies.map(({ sha256 }) => sha256)
    const reason = 'as before, signed by the new key'
    const { version } = await assign({ to, bundles, author, reason, ...defined({ interval }) })
    lowest = Math.min(lowest, version)
  }
  return Number.isFinite(lowest) ? lowest : 0
}

/** Ends the former keys once every host has taken an assignment signed by the new key. */
async function finish(place: Place, { author, isLeaked, leavesHosts }: RotationSettings): Promise<RotationStep> {
  const { directory, home, next, former } = place
  const behind = leavesHosts ? [] : await hostsBehind(place)
  if (behind.length > 0)
    throw new OperatorError(
      `${behind.join(', ')} ${behind.length === 1 ? 'has' : 'have'} not reported with the new key yet: try again after an interval, or leave them ` +
        'behind with --leave-hosts and invite them again',
    )
  const trusted = publicPemOf(readPrivateKey(home.policyKey).key)
  await asOperator(directory, async ({ line, note }) => {
    // A host that was offline trusts only the former key.
    const formerKeys = isLeaked ? [] : [readPrivateKey(former('policy.pem'))]
    await tellHosts(line, [readPrivateKey(home.policyKey), ...formerKeys], { policyKeys: trusted })
    await note({ act: 'rotate', author, about: 'keys', text: 'revoked the former keys' })
  })
  let config = readFileSync(home.server(SERVER_FILES.config), 'utf8')
  for (const name of LOGINS) config = withoutUser(config, nkeyIn(former(`${name}.nk`)))
  replaceContent(home.server(SERVER_FILES.config), config, 0o644)
  if (isLeaked) {
    const viewers = publicPemOf(keyIn(seedFiles(place, 'viewer')[0]))
    for (const path of [home.publicPolicyKey, home.viewer(POLICY_KEY_FILE)]) replaceContent(path, trusted, 0o644)
    for (const path of [home.viewerKey, home.viewer(VIEWER_KEY_FILE)]) replaceContent(path, viewers, 0o644)
  }
  rmSync(next(''), { recursive: true })
  rmSync(former(''), { recursive: true })
  return 'finished'
}

function keyIn(path: string) {
  const key = keyOfSeed(readFileSync(path, 'utf8').trim())
  if (key === undefined) throw new OperatorError(`${path} is not a key seed`)
  return createPublicKey(key)
}

async function hostsBehind({ home, former }: Place): Promise<readonly string[]> {
  const version = Number(readFileSync(former('version'), 'utf8'))
  if (version === 0) return []
  const fleet = openFleet({ from: loginOfContext(home.context), rosterFile: home.roster, intervalMs: DAY_MS })
  try {
    await fleet.look('everywhere')
  } finally {
    await fleet.close()
  }
  return activeOf(fleet.view(Date.now()).hosts)
    .filter(({ isListed, sender }) => isListed && (sender?.assignment?.version ?? 0) < version)
    .map(({ name }) => name)
}

function replaceContent(path: string, content: string | Uint8Array, mode: number): void {
  replaceFile(path, content, { mode })
}

/** Adds a key with the permissions of a known one to a server configuration; unchanged if it has the key already. */
export function withUser(config: string, known: string, added: string): string {
  const user = userIn(config, known)
  if (user === undefined || userIn(config, added) !== undefined) return config
  const text = config.slice(user.start, user.end)
  return `${config.slice(0, user.end)}${text.replaceAll(known, added)}${config.slice(user.end)}`
}

/** Removes a key from a server configuration; unchanged if it is absent. */
export function withoutUser(config: string, key: string): string {
  const user = userIn(config, key)
  return user === undefined ? config : `${config.slice(0, user.start)}${config.slice(user.end)}`
}

/** Range of a user entry, including whole lines; nested braces, none of them in texts. */
function userIn(config: string, key: string): { readonly start: number; readonly end: number } | undefined {
  const brace = config.indexOf(`{ nkey: ${key}`)
  if (brace === -1) return undefined
  let depth = 0
  for (let at = brace; at < config.length; at++) {
    if (config[at] === '{') depth++
    if (config[at] === '}') depth--
    if (depth > 0) continue
    const line = config.indexOf('\n', at)
    return { start: config.lastIndexOf('\n', brace) + 1, end: line === -1 ? config.length : line + 1 }
  }
  return undefined
}
