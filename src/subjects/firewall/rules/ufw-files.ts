import { type ShellFile, variableAfter } from '../../../settings/formats/shell.ts'
import type { AddressFamily } from './packets.ts'

/** What ufw reads when it starts, of one family of addresses. */
export interface UfwFiles {
  readonly settings: readonly ShellFile[]
  readonly before: string
  readonly after: string
  readonly user: string
}

const PLACES = ['input', 'output', 'forward'] as const
const POLICIES = { input: 'DEFAULT_INPUT_POLICY', output: 'DEFAULT_OUTPUT_POLICY', forward: 'DEFAULT_FORWARD_POLICY' }

/**
 * What ufw gives to iptables-restore when it starts, in its order, as one text; undefined where its settings are not those it
 * takes. @see /lib/ufw/ufw-init-functions
 */
export function ufwRules({ settings, before, after, user }: UfwFiles, family: AddressFamily): string | undefined {
  const policies = PLACES.map((place) => ({ place, policy: settingOf(settings, POLICIES[place]) ?? '' }))
  if (policies.some(({ policy }) => !['ACCEPT', 'DROP', 'REJECT'].includes(policy))) return undefined
  const builtIn = (policyOf: (policy: string) => string): string =>
    policies.map(({ place, policy }) => `:${place.toUpperCase()} ${policyOf(policy)} [0:0]\n`).join('')
  if (family === 'ip6' && settingOf(settings, 'IPV6')?.toLowerCase() !== 'yes') {
    return table(`${builtIn(() => 'DROP')}-A INPUT -i lo -j ACCEPT\n-A OUTPUT -o lo -j ACCEPT\n`)
  }
  const ufw = family === 'ip' ? 'ufw' : 'ufw6'
  const each = (make: (place: string) => string): string => PLACES.map(make).join('')
  return [
    table(builtIn(() => 'ACCEPT') + each((place) => primary(ufw, place))),
    table(policies.map(({ place, policy }) => forPolicy(ufw, place, policy)).join('')),
    table(`:${ufw}-logging-deny -\n:${ufw}-logging-allow -\n`),
    table(policies.map(({ place, policy }) => skipChain(ufw, place, policy)).join('')),
    before,
    after,
    table(`${each((place) => ofUser(ufw, place))}:${ufw}-user-limit -\n:${ufw}-user-limit-accept -\n`),
    user,
    table(each((place) => `-A ${ufw}-before-${place} -j ${ufw}-user-${place}\n`)),
    table(builtIn((policy) => (policy === 'REJECT' ? 'DROP' : policy))),
  ].join('\n')
}

function settingOf(settings: UfwFiles['settings'], name: string): string | undefined {
  const value = variableAfter(settings, name)
  return value.kind === 'known' ? value.value : undefined
}

function table(lines: string): string {
  return `*filter\n${lines}COMMIT\n`
}

const STAGES = ['before-logging', 'before', 'after', 'after-logging', 'reject', 'track']

function primary(ufw: string, place: string): string {
  const chains = STAGES.map((stage) => `${ufw}-${stage}-${place}`)
  return [
    ...chains.map((chain) => `:${chain} -\n`),
    ...chains.map((chain) => `-A ${place.toUpperCase()} -j ${chain}\n`),
  ].join('')
}

function forPolicy(ufw: string, place: string, policy: string): string {
  if (policy === 'REJECT') return `-A ${ufw}-reject-${place} -j REJECT\n`
  if (policy === 'DROP') return ''
  return ['tcp', 'udp']
    .map((protocol) => `-A ${ufw}-track-${place} -p ${protocol} -m conntrack --ctstate NEW -j ACCEPT\n`)
    .join('')
}

function skipChain(ufw: string, place: string, policy: string): string {
  return `:${ufw}-skip-to-policy-${place} -\n-A ${ufw}-skip-to-policy-${place} -j ${policy}\n`
}

function ofUser(ufw: string, place: string): string {
  return `:${ufw}-user-${place} -\n:${ufw}-user-logging-${place} -\n`
}
