import { expect, test } from 'vitest'
import { judgeProviders } from '../../src/engine/prepare.ts'
import type { ResourceType } from '../../src/resource-type/define.ts'
import { packageType } from '../../src/subjects/packages/index.ts'
import { EMPTY_MACHINE } from '../support/target.ts'

const type: ResourceType = {
  ...packageType,
  providers: [
    { name: 'elsewhere', platforms: ['darwin'] },
    { name: 'poor', usable: () => false, needs: 'its tool' },
    { name: 'first', platforms: ['linux'], usable: () => true },
    { name: 'second' },
  ],
}

test.each([
  { wanted: undefined, outcomes: ['platform', 'unusable', 'chosen', 'later'] },
  { wanted: 'second', outcomes: ['not-named', 'not-named', 'not-named', 'chosen'] },
  { wanted: 'poor', outcomes: ['not-named', 'unusable', 'not-named', 'not-named'] },
])('the first provider that works is chosen, or the one that is named: $wanted', ({ wanted, outcomes }) => {
  const choices = judgeProviders(type, wanted, EMPTY_MACHINE)
  expect(choices.map(({ outcome }) => outcome)).toEqual(outcomes)
  expect(choices.find(({ outcome }) => outcome === 'unusable')?.needs ?? 'its tool').toBe('its tool')
})

test('a provider after the chosen one is not asked', () => {
  const asked: string[] = []
  const ask = (name: string) => ({ name, usable: () => asked.push(name) > 0 })
  judgeProviders({ ...type, providers: [ask('one'), ask('two')] }, undefined, EMPTY_MACHINE)
  expect(asked).toEqual(['one'])
})
