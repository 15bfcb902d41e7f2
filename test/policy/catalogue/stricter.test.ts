import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { type Acceptance, isAccepted, mapAcceptance, type ValueOrder } from '../../../src/model/acceptance.ts'
import { FIELDS } from '../../../src/model/fields.ts'
import { loadPolicy } from '../../../src/policy/load.ts'
import type { RunnablePolicy } from '../../../src/policy/runnable/policy.ts'
import { acceptanceOf } from '../../../src/subjects/shared/acceptance-of.ts'
import { pwquality } from '../../../src/subjects/pam/settings/pwquality.ts'

const CATALOGUE = fileURLToPath(new URL('../../../policies/catalogue/catalogue.yaml', import.meta.url))
const LISTS = [...readFileSync(CATALOGUE, 'utf8').matchAll(/^ {2}- \.\.\/(.*)\.yaml$/gm)].map(([, name]) => `@${name}`)

const pwqualityOrder = (key: string): ValueOrder<string> => pwquality.rulesOf({ section: '', key }).order

/** Values that do at least what a control asks for. @see ip-sysctl.rst, fs.rst and Yama.rst of the kernel; pwquality.conf(5) */
const STRICTER: readonly (readonly [
  type: string,
  name: string,
  values: readonly string[],
  order: ValueOrder<string>,
])[] = [
  // Below 0 no routing header is accepted, not even the one of mobile hosts.
  ['sysctl', 'net.ipv6.conf.all.accept_source_route', ['-1', '0'], FIELDS],
  ['sysctl', 'net.ipv6.conf.default.accept_source_route', ['-1', '0'], FIELDS],
  ['sysctl', 'net.ipv4.tcp_syncookies', ['1', '2'], FIELDS],
  ['sysctl', 'kernel.kptr_restrict', ['1', '2'], FIELDS],
  ['sysctl', 'kernel.yama.ptrace_scope', ['2', '3'], FIELDS],
  ['sysctl', 'fs.protected_fifos', ['1', '2'], FIELDS],
  // Any number but 0 switches on.
  ['setting', 'pwquality:dictcheck', ['1', '2', '-1'], pwqualityOrder('dictcheck')],
  ['setting', 'pwquality:enforcing', ['1', '3'], pwqualityOrder('enforcing')],
  ['setting', 'pwquality:dcredit', ['0', '-1', '-4'], pwqualityOrder('dcredit')],
]

let policies: readonly RunnablePolicy[]

beforeAll(async () => {
  const loaded = await loadPolicy(LISTS)
  if (!loaded.ok) throw new Error('the policies cannot be loaded')
  policies = loaded.value
  return loaded.dispose
})

function acceptedOf(type: string, name: string): readonly Acceptance<string>[] {
  const named = policies.flatMap(({ resources }) =>
    resources.filter((each) => each.type === type && each.name === name),
  )
  const values = named.flatMap(({ settled }) => settled?.['value'] ?? [])
  return values.map((value) => mapAcceptance(acceptanceOf(value), String))
}

test.for(STRICTER)('%s %s may be stricter in every policy', ([type, name, values, order]) => {
  const accepted = acceptedOf(type, name)
  expect(accepted.length).toBeGreaterThan(0)
  for (const each of accepted) {
    expect(values.filter((value) => !isAccepted(order, each, value))).toEqual([])
  }
})

test('and 0 where any number switches on is not', () => {
  expect(isAccepted(pwqualityOrder('dictcheck'), { is: '1' }, '0')).toBe(false)
})
