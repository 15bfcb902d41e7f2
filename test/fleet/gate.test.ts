import { expect, test } from 'vitest'
import type { FleetHost } from '../../src/fleet/census.ts'
import { gateOf } from '../../src/fleet/gate.ts'

/** A host that reports and is compliant; a case says what is otherwise. */
function host({ drifts, ...others }: Readonly<Record<string, unknown>> = {}): FleetHost {
  const none = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }
  const about = { name: 'a', presence: 'reporting', answer: 'compliant', findings: [] }
  return { ...about, ...others, drifts: { ...none, ...(drifts as object | undefined) } } as unknown as FleetHost
}

const LOW = { answer: 'drifted', drifts: { low: 1 } }
const MEDIUM = { answer: 'drifted', drifts: { medium: 1 } }
const OPEN = { findings: [{ standing: 'drifted' }, { standing: 'undecided' }] }
const UNDECIDED = { answer: 'undecided' }
const unheard = (presence: string): object => ({ presence, answer: 'undecided' })

test.each<[string, readonly object[], object, readonly [number, ...string[]]]>([
  ['compliant', [{}], {}, [0]],
  ['one drifted', [{}, MEDIUM], {}, [2, '1 host drifts at or above severity medium']],
  ['two drifted', [MEDIUM, MEDIUM], {}, [2, '2 hosts drift at or above severity medium']],
  ['one drifted below', [LOW, {}], {}, [0, '1 host drifts below severity medium']],
  [
    'both',
    [LOW, MEDIUM, LOW],
    {},
    [2, '1 host drifts at or above severity medium', '2 hosts drift below severity medium'],
  ],
  ['one forged', [unheard('forged')], {}, [3, '1 host is forged']],
  ['two silent', [unheard('silent'), unheard('silent')], {}, [3, '2 hosts are silent']],
  ['one missing', [unheard('never')], {}, [3, '1 host is expected and never reported']],
  ['one outdated', [unheard('outdated')], {}, [3, '1 host is outdated']],
  ['one undecided', [UNDECIDED], {}, [3, '1 host is undecided']],
  ['two undecided', [UNDECIDED, UNDECIDED], {}, [3, '2 hosts are undecided']],
  ['late', [{ presence: 'late' }, { presence: 'clock' }], {}, [0]],
  ['with an unknown result', [OPEN, {}], {}, [3, 'unknown results on 1 host']],
  ['silent with an unknown result', [{ ...OPEN, ...unheard('silent') }], {}, [3, '1 host is silent']],
  [
    'drifted and silent',
    [unheard('silent'), MEDIUM],
    {},
    [2, '1 host drifts at or above severity medium', '1 host is silent'],
  ],
  ['compliant beside a broken file', [{}], { unusable: 1 }, [3, '1 file cannot be used']],
  ['compliant as read before', [{}], { isUnread: true }, [3, 'the reports can no longer be read']],
  ['retired', [{ ...MEDIUM, presence: 'retired' }], {}, [5, 'no host reported, and the roster is empty']],
])('a fleet whose hosts are %s', (_name, hosts, gate, [code, ...reasons]) => {
  const all = hosts.map((each) => host({ ...each }))
  expect(gateOf(all, { failOn: 'medium', unusable: 0, ...gate })).toEqual({ code, reasons })
})
