import { expect, test } from 'vitest'
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
