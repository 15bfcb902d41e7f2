import { expect, test } from 'vitest'
import { textsIn } from '../../../../src/subjects/firewall/live/texts.ts'
import { baseChainFor } from '../../../../src/subjects/firewall/rules/added.ts'
import { followPackets } from '../../../../src/subjects/firewall/rules/evaluate.ts'
import { newPackets } from '../../../../src/subjects/firewall/rules/question.ts'
import { rulesetOf, type RulesetTexts } from '../../../../src/subjects/firewall/rules/whole.ts'

const NFT = JSON.stringify({
  nftables: [
    { table: { family: 'inet', name: 'filter' } },
    {
      chain: { family: 'inet', table: 'filter', name: 'input', type: 'filter', hook: 'input', prio: 0, policy: 'drop' },
    },
    {
      rule: {
        family: 'inet',
        table: 'filter',
        chain: 'input',
        handle: 2,
        expr: [{ match: { op: '==', left: { meta: { key: 'mark' } }, right: 1 } }, { accept: null }],
      },
    },
  ],
})

function certainties(legacy: RulesetTexts['legacy']): readonly string[] {
  const rules = rulesetOf({ nft: NFT, ...(legacy === undefined ? {} : { legacy }) })
  if (rules === undefined) throw new Error('not understood')
  return followPackets(rules, ['prerouting', 'input'], newPackets('ip')).accepted.map(({ certainty }) => certainty)
}

const marking = (target: string): string => `*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING ${target}\nCOMMIT\n`

test('a rule about a mark that nothing sets accepts nothing', () => {
  expect(certainties(undefined)).toEqual([])
  expect(certainties({ ip: marking('-j LOG') })).toEqual([])
})

test.each([
  '-j MARK --set-xmark 0x1/0xffffffff',
  '-j CONNMARK --restore-mark',
  '-j TPROXY --on-port 1 --tproxy-mark 0x1',
])('the effect of a rule about a mark is unknown if the older interface of iptables says %s', (target) => {
  expect(certainties({ ip: marking(target) })).toContain('unclear')
  expect(certainties({ ip6: marking(target) })).toContain('unclear')
})

// @see nft(8), TABLES
test.each([
  ['"owner"', undefined, ['inet filter']],
  ['"dormant"', undefined, []],
  ['["owner", "dormant"]', undefined, []],
  // As 1.0.6 prints it.
  ['"filter"', undefined, []],
  ['"filter"', 'owner', ['inet filter']],
  ['"owner"', 'dormant', []],
])('a table with the flags %s in JSON and %s in text', (flags, text, tables) => {
  const nft = NFT.replace('"name":"filter"}}', `"name":"filter","flags":${flags}}}`)
  const listing = text === undefined ? '' : `table inet filter { # handle 1\n\tflags ${text}\n\n}`
  const rules = rulesetOf({ nft, texts: textsIn(listing) })
  if (rules === undefined) throw new Error('not understood')
  // What a fix adds does not activate the other chains of a dormant table.
  expect(baseChainFor([rules], 'output').table).toBe(tables.length > 0 ? 'filter' : 'driftgate')
  const [judged] = followPackets(rules, ['prerouting', 'input'], newPackets('ip')).accepted
  expect({ tables: rules.tables, isFiltered: judged === undefined }).toEqual({ tables, isFiltered: tables.length > 0 })
})

test.each([
  ['inet', true],
  ['ip', true],
  ['ip6', false],
  ['bridge', false],
  ['arp', false],
])('a table of the family %s filters IPv4: %s', (family, isFiltered) => {
  const rules = rulesetOf({ nft: NFT.replaceAll('"inet"', `"${family}"`) })
  if (rules === undefined) throw new Error('not understood')
  expect(followPackets(rules, ['prerouting', 'input'], newPackets('ip')).accepted).toHaveLength(isFiltered ? 0 : 1)
})
