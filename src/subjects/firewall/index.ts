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
    summary: 'The hook: `input`, `forward` or `output`; a title if `hook` is set or no hook is needed.',
  },
  hook: {
    kind: 'text',
    oneOf: ['input', 'forward', 'output'],
    phase: 'early',
    parameter: true,
    summary: 'The hook, if the name is a title: incoming, forwarded or outgoing packets.',
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
      'Whether new connections without a matching rule are dropped or rejected, by the policy of a chain or a rule at its end. All base chains of all tables are evaluated, of nftables and of both iptables variants, with their jumps. It is not met if more than half of all ports and addresses are accepted at one interface and address.',
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
      'Whether new connections from 127.0.0.0/8 or ::1 on interfaces other than `lo` are dropped, for all ports, open ones included. The DHCP client port is not checked.',
  },
  base_chain: {
    kind: 'text',
    oneOf: ['present'],
    summary: 'Whether a base chain of type filter exists at the hook.',
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
      'The ports that accept connections from other hosts. The rules must block every other socket that listens on a non-loopback address, and every port forwarded to another machine, such as a container. The rules may allow further ports without a listener.',
  },
  trusted_interfaces: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'The name of an interface, such as `wg0`.' },
    parameter: true,
    summary: 'Interfaces to ignore: the rules may accept all traffic from them.',
  },
  stored: {
    kind: 'boolean',
    default: true,
    parameter: true,
    summary:
      'Whether `default`, `loopback` and `spoofed_loopback` must also be met by the rules loaded at boot: those of /etc/nftables.conf, tested in a private network namespace, of /etc/ufw, of /etc/iptables, or those that firewalld generates from its zones and policies, depending on the enabled manager.',
  },
  manager: {
    kind: 'text',
    oneOf: FIREWALL_MANAGERS,
    summary:
      'The firewall manager: it runs and is enabled at boot, and no other manager is running or enabled. `nftables`, `iptables` and `firewalld` are checked by their units, `ufw` by /etc/ufw/ufw.conf.',
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

export const firewall: ResourceType = defineResource({
  type: 'firewall',
  summary: 'Firewalls, by the effect of their rules on packets, in the terms of nftables, for any firewall manager.',
  properties,
  rules: [
    {
      summary: 'Requirements on packets need a hook.',
      reads: ['name', 'hook', 'default', 'loopback', 'spoofed_loopback', 'base_chain', 'allowed'],
      check({ name = '', hook, ...asked }) {
        const { default: usual, loopback, spoofed_loopback: spoofed, base_chain: base, allowed } = asked
        if ([usual, loopback, spoofed, base, allowed].every((each) => each === undefined)) return undefined
        const at = hookOf({ name, hook })
        if (at === undefined) return 'set the packets to check: "hook: input", "hook: forward" or "hook: output"'
        if (at !== 'input' && (spoofed !== undefined || allowed !== undefined)) {
          return '"spoofed_loopback" and "allowed" require "hook: input"'
        }
        return at === 'forward' && loopback !== undefined
          ? 'packets on "lo" are never forwarded: use "loopback" with the hook input or output'
          : undefined
      },
    },
    {
      summary: 'At least one requirement is set.',
      reads: ['default', 'loopback', 'spoofed_loopback', 'base_chain', 'tables', 'allowed', 'manager'],
      check: (asked) =>
        Object.values(asked).every((each) => each === undefined)
          ? 'set at least one of default, loopback, spoofed_loopback, base_chain, tables, allowed and manager'
          : undefined,
    },
  ],
  drifts: DRIFTS,
  neverSecret: DRIFTS,
  examples: [
    {
      title: 'Incoming traffic is dropped unless allowed, at every address',
      yaml: `
        firewall:
          - input:
              default: drop
              loopback: accept
              spoofed_loopback: drop
              allowed: [tcp:22, tcp:443]`,
    },
    {
      title: 'Forwarded traffic is dropped, except from containers',
      yaml: `
        firewall:
          - forward:
              default: drop
              trusted_interfaces: [docker0]`,
    },
    {
      title: 'One firewall manager is enabled',
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
