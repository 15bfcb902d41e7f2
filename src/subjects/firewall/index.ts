import { RISKS } from '../../model/risk.ts'
import { defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { FIREWALL_MANAGERS } from './firewall.ts'
import { decideFirewall } from './decide.ts'
import { observeFirewall } from './observe.ts'
import type { FirewallAction } from './plan.ts'
import { problemWith } from './guarantee.ts'
import { hookOf } from './wanted.ts'
import { FIREWALL } from './subject.ts'

/** What a policy may say about a firewall. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'The hook that is meant: `input`, `forward` or `output`; a title where `hook` says it, or where none is meant.',
  },
  hook: {
    kind: 'text',
    oneOf: ['input', 'forward', 'output'],
    phase: 'early',
    parameter: true,
    summary: 'The hook, where the name is a title: what comes to this machine, passes through it, or leaves it.',
  },
  family: {
    kind: 'text',
    oneOf: ['both', 'ip', 'ip6'],
    default: 'both',
    phase: 'early',
    parameter: true,
    summary: 'IPv4 (`ip`), IPv6 (`ip6`), or both. A kernel without IPv6 needs no rules for it.',
  },
  default: {
    kind: 'text',
    oneOf: ['drop'],
    summary:
      'Whether new connections without a matching rule are dropped or rejected, by the policy of a chain or a rule at its end. All base chains of all tables count, of nftables and of both kinds of iptables, with their jumps. It does not hold if more than half of all ports and addresses are accepted at one interface and address.',
  },
  loopback: {
    kind: 'text',
    oneOf: ['accept'],
    summary: 'Whether all traffic on `lo` is accepted, outgoing or incoming.',
  },
  spoofed_loopback: {
    kind: 'text',
    oneOf: ['drop'],
    summary:
      'That new connections from 127.0.0.0/8 or ::1 are dropped where they come in at another interface than `lo`, to any port, also to those that are open. The port of clients of DHCP is not asked about.',
  },
  base_chain: {
    kind: 'text',
    oneOf: ['present'],
    summary: 'That there is a base chain of the type filter at the hook.',
  },
  tables: {
    kind: 'list',
    items: {
      kind: 'text',
      nonEmpty: true,
      summary: 'Family and name of a table, such as `inet filter`; `*` stands for any text.',
    },
    nonEmpty: true,
    summary: 'Tables of nftables that exist.',
  },
  allowed: {
    kind: 'list',
    items: {
      kind: 'text',
      pattern: {
        expression: '(?:tcp|udp):\\d{1,5}(?:-\\d{1,5})?',
        describes: 'a port, such as "tcp:22" or "udp:60000-61000"',
      },
      summary: 'A port or ports, such as `tcp:22` or `udp:60000-61000`.',
    },
    summary:
      'The ports at which others may connect. Every other socket that listens at an address beyond loopback has to be out of reach through the rules, and so has every port that is sent on to another machine, such as a container. The rules may allow further ports without a listener.',
  },
  trusted_interfaces: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'The name of an interface, such as `wg0`.' },
    parameter: true,
    summary: 'Interfaces that are not asked about: from there everything may be accepted.',
  },
  stored: {
    kind: 'boolean',
    default: true,
    parameter: true,
    summary:
      'Whether `default`, `loopback` and `spoofed_loopback` have to hold of the rules that the next start loads, too: those of /etc/nftables.conf, tried in a private network namespace, of /etc/ufw, of /etc/iptables, or those that firewalld makes of its zones and policies, of whichever is enabled.',
  },
  manager: {
    kind: 'text',
    oneOf: FIREWALL_MANAGERS,
    summary:
      'What keeps the rules: it runs and starts with the system, and no other one does either. `nftables`, `iptables` and `firewalld` are their units, `ufw` is what /etc/ufw/ufw.conf says.',
  },
})

const DRIFTS = [
  'default',
  'loopback',
  'spoofed_loopback',
  'base_chain',
  'tables',
  'allowed',
  'manager',
  'enabled',
  'stored',
] as const

/** Firewalls by what they do with packets. */
export const firewall: ResourceType = defineResource({
  type: 'firewall',
  summary: 'Firewalls, by the effect of their rules on packets, in the terms of nftables, for any firewall manager.',
  properties,
  rules: [
    {
      summary: 'What is asked of packets needs a hook.',
      reads: ['name', 'hook', 'default', 'loopback', 'spoofed_loopback', 'base_chain', 'allowed'],
      check({ name = '', hook, ...asked }) {
        const { default: usual, loopback, spoofed_loopback: spoofed, base_chain: base, allowed } = asked
        if ([usual, loopback, spoofed, base, allowed].every((each) => each === undefined)) return undefined
        const at = hookOf({ name, hook })
        if (at === undefined) return 'say which packets are meant: "hook: input", "hook: forward" or "hook: output"'
        if (at !== 'input' && (spoofed !== undefined || allowed !== undefined)) {
          return '"spoofed_loopback" and "allowed" are about what comes in: say them with "hook: input"'
        }
        return at === 'forward' && loopback !== undefined
          ? 'nothing passes from "lo" to another machine: say "loopback" of input or output'
          : undefined
      },
    },
    {
      summary: 'It says what is wanted.',
      reads: ['default', 'loopback', 'spoofed_loopback', 'base_chain', 'tables', 'allowed', 'manager'],
      check: (asked) =>
        Object.values(asked).every((each) => each === undefined)
          ? 'say what is wanted: default, loopback, spoofed_loopback, base_chain, tables, allowed or manager'
          : undefined,
    },
  ],
  drifts: DRIFTS,
  neverSecret: DRIFTS,
  examples: [
    {
      title: 'Nothing comes in that is not allowed, by any rules and at any address',
      yaml: `
        firewall:
          - input:
              default: drop
              loopback: accept
              spoofed_loopback: drop
              allowed: [tcp:22, tcp:443]`,
    },
    {
      title: 'What passes through is dropped, except from containers',
      yaml: `
        firewall:
          - forward:
              default: drop
              trusted_interfaces: [docker0]`,
    },
    {
      title: 'One program keeps the rules',
      yaml: `
        firewall:
          - manager:
              manager: nftables`,
    },
  ],
  providers: [
    {
      name: 'netfilter',
      platforms: ['linux'],
      observe: observeFirewall,
      apply: (remediator, wanted, { change, guarantee }: FirewallAction, { signal }) =>
        remediator.open(FIREWALL).change(change, (rules) => problemWith(wanted, guarantee, rules), signal),
    },
  ],
  decide: decideFirewall,
  hazards: () => ({ risk: RISKS.firewall }),
})
