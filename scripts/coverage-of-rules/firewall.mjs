// Firewalls. What a rule says of one manager is asked of the rules that are in force, by any writer, and of the manager
// where the rule is about it.

const FAMILY = { iptables: 'ip', ip6tables: 'ip6' }
/** Ports that every profile leaves to its reader: none. */
const NO_PORTS = []

export const firewall = {
  kinds: ['firewall'],
  translate(rule) {
    return managed(rule) ?? aboutPackets(rule)
  },
}

/** That the manager runs and starts with the system, and that what it loads then drops what no rule allows. */
function managed({ id, sub, params: { backend, state, file, key } }) {
  if (state === 'active') return [{ type: 'firewall', name: 'manager', properties: { manager: backend } }]
  if (sub !== 'nft' || file === undefined || key !== 'include') return undefined
  return [{ type: 'firewall', name: id, properties: { hook: 'input', default: 'drop', manager: 'nftables' } }]
}

function aboutPackets({ id, params }) {
  const { backend, chains, hooks, table, family, rules, for_each: forEach } = params
  const of = FAMILY[backend] === undefined ? {} : { family: FAMILY[backend] }
  const hook = (name, properties) => ({
    type: 'firewall',
    name: `${id} ${name}`,
    properties: { hook: name, ...of, ...properties },
  })
  if (chains !== undefined) return chains.map((name) => hook(name.toLowerCase(), { default: 'drop' }))
  if (hooks !== undefined) return hooks.map((name) => hook(name, { base_chain: 'present' }))
  if (table !== undefined) return [{ type: 'firewall', name: id, properties: { tables: [`${family} ${table}`] } }]
  if (forEach !== undefined) return [hook('input', { allowed: NO_PORTS })]
  const defaults = Object.entries(DIRECTIONS).filter(([direction]) => params[direction] !== undefined)
  if (defaults.length > 0) return defaults.map(([, name]) => hook(name, { default: 'drop' }))
  if (rules !== undefined) return loopback(rules, hook)
  if (params.zone === 'trusted' && params.interface === 'lo') return [hook('input', { loopback: 'accept' })]
  return params.rich_rules === undefined ? undefined : [hook('input', { spoofed_loopback: 'drop' })]
}

const DIRECTIONS = { incoming: 'input', routed: 'forward', outgoing: 'output' }

/** Rules about lo and what claims to come from it, in the words of ufw, nft or iptables. */
function loopback(rules, hook) {
  const meanings = rules.map((rule) => MEANINGS.find(([pattern]) => pattern.test(rule))?.slice(1))
  if (meanings.includes(undefined)) return undefined
  const hooks = new Map()
  for (const [name, properties] of meanings) hooks.set(name, { ...hooks.get(name), ...properties })
  return [...hooks].map(([name, properties]) => hook(name, properties))
}

const MEANINGS = [
  [/^(?:iif lo accept|-i lo ACCEPT|allow in on lo)$/, 'input', { loopback: 'accept' }],
  [/^(?:-o lo ACCEPT|allow out on lo)$/, 'output', { loopback: 'accept' }],
  [/^(?:ip saddr |-s |deny from )127\.0\.0\.0\/8(?: drop| DROP)?$/, 'input', { spoofed_loopback: 'drop' }],
  [/^(?:ip6 saddr |-s |deny from )::1(?: drop| DROP)?$/, 'input', { spoofed_loopback: 'drop' }],
]
