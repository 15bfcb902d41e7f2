import { expect, test } from 'vitest'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { decideSysctl, type SysctlState, type SysctlDesired } from '../../../src/subjects/sysctl/decide.ts'
import { type Joining, effectiveValue } from '../../../src/subjects/sysctl/interfaces.ts'
import { sysctl } from '../../../src/subjects/sysctl/index.ts'
import { asTaken } from '../../../src/subjects/sysctl/values.ts'
import { canonical } from '../../../src/model/fields.ts'
import { known } from '../../../src/model/observation.ts'
import { parseSysctlConf } from '../../../src/subjects/sysctl/sysctl-conf.ts'
import { testDecisionCases } from '../decision-cases.ts'

// The cases are data, in cases/*.yaml. `files` are those that are read, in their order; one that observes no value has no parameter.
testDecisionCases('sysctl', {
  wanted: ['name', 'value', 'if_absent', 'if_unstored'],
  observed: ['value', 'all', 'interfaces', 'files', 'stored'],
  decide: (wanted, { files, ...observed }) => {
    const desired = { name: 'kernel.example', if_absent: 'drift', if_unstored: 'drift', ...wanted } as SysctlDesired
    const context = undefined
    if (!('value' in observed)) return decideSysctl(desired, { kind: 'absent', context })
    const list = Object.entries((files ?? {}) as Record<string, string>).flatMap(([file, text]) => {
      return parseSysctlConf(text, file)
    })
    const state = {
      all: known(observed['value']),
      interfaces: known([]),
      stored: known({ lists: [list] }),
      ...observed,
      value: typeof observed['value'] === 'string' ? known(observed['value']) : observed['value'],
    } as SysctlState
    return decideSysctl(desired, { kind: 'present', state, context })
  },
})

// include/linux/inetdevice.h: IN_DEV_MAXCONF, IN_DEV_ORCONF, IN_DEV_ANDCONF, IN_DEV_RX_REDIRECTS, IN_DEV_CONF_GET.
test.each<[Joining, all: string, own: string, expected: string | undefined]>([
  ['maximum', '1', '2', '2'],
  ['maximum', '2', '0', '2'],
  ['minimum', '0', '-1', '-1'],
  ['either', '0', '1', '1'],
  ['either', '1', '0', '1'],
  ['either', '0', '0', '0'],
  ['both', '0', '1', '0'],
  ['both', '1', '0', '0'],
  ['both', '1', '1', '1'],
  ['redirects', '0', '1', '1'],
  ['interface', '0', '1', '1'],
  ['maximum', 'x', '1', undefined],
  ['maximum', '1', '', undefined],
])('%s of all %s and interface %s is %s', (joining, all, own, expected) => {
  expect(effectiveValue(joining, all, own, false)).toBe(expected)
})

test.each([
  ['0', '1', '0'],
  ['1', '1', '1'],
])('a router with all %s and interface %s takes redirects: %s', (all, own, expected) => {
  expect(effectiveValue('redirects', all, own, true)).toBe(expected)
})

test.each([
  ['0x10', '16'],
  ['020', '16'],
  ['-1', '-1'],
  ['+1', '1'],
  ['089', '089'],
  ['32768\t60999', '32768 60999'],
  ['|/usr/lib/x  %P', '|/usr/lib/x %P'],
])('%j is %j', (written, expected) => {
  expect(canonical(written)).toBe(expected)
})

test.each([
  ['1 # yes', '0', '1'],
  ['0x1', '0', '1'],
  ['1x', '0', '1x'],
  ['1 2', '0 0', '1 2'],
  ['core # x', 'core', 'core # x'],
  ['+1', '1', '+1 (rejected)'],
])('writing %j where there is %j gives %j', (written, now, expected) => {
  expect(asTaken(written, now)).toBe(expected)
})

test.each([
  { value: 'a\nb' },
  { value: { one_of: ['1'], fix: '2' } },
  { value: { at_least: 'many' } },
  { value: { at_most: '1 2' } },
  { name: 'net.ipv4.conf.*.rp_filter' },
  { name: 'net/../../etc' },
  { name: 'kernel' },
  { name: '-kernel.sysrq' },
  { name: 'kernel.sysrq ' },
])('%j is refused', (given) => {
  expect(decodeProperties(sysctl, { name: 'kernel.sysrq', value: '1', if_absent: 'drift', ...given }).ok).toBe(false)
})
