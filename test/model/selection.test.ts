import fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatcher, select, type Selection } from '../../src/model/selection.ts'
import type { Child, Policy } from '../../src/model/policy.ts'
import { control, declare, policyOf } from '../support/policy.ts'

const policy = policyOf(
  [
    declare('file#/etc/ssh/sshd_config', { alias: 'sshd' }),
    declare('file#/etc/motd'),
    declare('package#openssh-server'),
  ],
  {
    controls: [
      control('ssh-01', ['file#/etc/ssh/sshd_config'], { tags: ['ssh', 'cis'] }),
      control('ssh-02', ['package#openssh-server'], { tags: ['ssh'] }),
    ],
  },
)

function selected(selection: Partial<Selection>): readonly string[] {
  const { ids } = select([policy], { only: [], skip: [], ...selection })
  return [...(ids.get(policy) ?? [])]
}

test.each<[string, Partial<Selection>, readonly string[]]>([
  ['nothing asked takes everything', {}, ['file#/etc/ssh/sshd_config', 'file#/etc/motd', 'package#openssh-server']],
  ['an id', { only: ['file#/etc/motd'] }, ['file#/etc/motd']],
  ['an alias', { only: ['file#sshd'] }, ['file#/etc/ssh/sshd_config']],
  ['what has no alias is not named undefined', { only: ['file#undefined'] }, []],
  ['a glob crosses directories', { only: ['file#/etc/*'] }, ['file#/etc/ssh/sshd_config', 'file#/etc/motd']],
  ['a glob over types', { only: ['*#*openssh*'] }, ['package#openssh-server']],
  ['a control', { only: ['ssh-02'] }, ['package#openssh-server']],
  ['a glob over controls', { only: ['ssh-*'] }, ['file#/etc/ssh/sshd_config', 'package#openssh-server']],
  ['a tag', { only: ['tag:cis'] }, ['file#/etc/ssh/sshd_config']],
  ['skip alone', { skip: ['tag:ssh'] }, ['file#/etc/motd']],
  ['skip wins over only', { only: ['tag:ssh'], skip: ['ssh-01'] }, ['package#openssh-server']],
  ['skipping everything leaves nothing', { skip: ['*#*'] }, []],
])('selecting: %s', (_title, selection, expected) => {
  expect(selected(selection)).toEqual(expected)
})

test('a selector is never a substring match', () => {
  expect(selected({ only: ['file#/etc/mot'] })).toEqual([])
})

test('selectors that name nothing are told apart from those that do', () => {
  const { unmatched } = select([policy], { only: ['ssh-01', 'ssh-99'], skip: ['tag:nope', 'file#/etc/motd'] })
  expect(unmatched).toEqual(['ssh-99', 'tag:nope'])
})

test('a selector needs to match in one policy only', () => {
  const other = policyOf([declare('file#/tmp/x')], { id: 'other' })
  const { ids, unmatched } = select([policy, other], { only: ['file#/tmp/x'], skip: [] })
  expect(unmatched).toEqual([])
  expect(ids.get(policy)?.size).toBe(0)
})

test('globs agree with the regular expression they stand for', () => {
  const piece = fc.constantFrom('a', 'b', '/', '*', '?', '.')
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 10 }).map((pieces) => pieces.join('')),
      (pattern, text) => {
        const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
        expect(globMatcher(pattern)(text)).toBe(new RegExp(`^${expression}$`, 's').test(text))
      },
    ),
  )
})

function loaded(policy: Policy): Child {
  return { kind: 'loaded', policy, noop: false, healthCheckOnly: false }
}

const grandchild = policyOf([declare('file#/deep'), declare('file#/etc/motd')])
const child = policyOf([declare('file#/etc/motd'), declare('file#/child'), declare('apply#b.yaml')], {
  controls: [control('below', ['file#/child'], { tags: ['t'] })],
  children: new Map([['apply#b.yaml', loaded(grandchild)]]),
})
const parent = policyOf([declare('file#/etc/motd'), declare('apply#a.yaml'), declare('apply#out.yaml')], {
  controls: [control('all', ['apply#a.yaml'])],
  children: new Map<string, Child>([
    ['apply#a.yaml', loaded(child)],
    ['apply#out.yaml', { kind: 'ruled-out', because: 'no' }],
  ]),
})

test.each<[string, Partial<Selection>, Partial<Record<'parent' | 'child' | 'grandchild', string>>]>([
  [
    'nothing asked takes everything',
    {},
    {
      parent: 'file#/etc/motd apply#a.yaml apply#out.yaml',
      child: 'file#/etc/motd file#/child apply#b.yaml',
      grandchild: 'file#/deep file#/etc/motd',
    },
  ],
  [
    'an apply resource stands for everything below it',
    { only: ['apply#a.yaml'] },
    {
      parent: 'apply#a.yaml',
      child: 'file#/etc/motd file#/child apply#b.yaml',
      grandchild: 'file#/deep file#/etc/motd',
    },
  ],
  [
    'so does its control',
    { only: ['all'], skip: ['file#/etc/motd'] },
    { parent: 'apply#a.yaml', child: 'file#/child apply#b.yaml', grandchild: 'file#/deep' },
  ],
  [
    'a resource below is reached through what is above it',
    { only: ['file#/deep'] },
    { parent: 'apply#a.yaml', child: 'apply#b.yaml', grandchild: 'file#/deep' },
  ],
  ['a control of the child', { only: ['below'] }, { parent: 'apply#a.yaml', child: 'file#/child' }],
  ['a tag of the child', { only: ['tag:t'] }, { parent: 'apply#a.yaml', child: 'file#/child' }],
  [
    'one id at every level',
    { only: ['file#/etc/motd'] },
    { parent: 'file#/etc/motd apply#a.yaml', child: 'file#/etc/motd apply#b.yaml', grandchild: 'file#/etc/motd' },
  ],
  ['below what is skipped nothing is left', { skip: ['apply#a.yaml'] }, { parent: 'file#/etc/motd apply#out.yaml' }],
  ['not even what is asked for', { only: ['file#/deep'], skip: ['apply#a.yaml'] }, {}],
  ['an apply resource with nothing left is left out', { only: ['apply#b.yaml'], skip: ['file#*'] }, {}],
  ['a child that was never read', { only: ['apply#out.yaml'] }, { parent: 'apply#out.yaml' }],
])('selecting among children: %s', (_title, selection, expected) => {
  const { ids, unmatched } = select([parent], { only: [], skip: [], ...selection })
  const textOf = (policy: Policy): string => [...(ids.get(policy) ?? [])].join(' ')
  expect({ parent: textOf(parent), child: textOf(child), grandchild: textOf(grandchild) }).toEqual({
    parent: '',
    child: '',
    grandchild: '',
    ...expected,
  })
  expect(unmatched).toEqual([])
})

const forPeople = policyOf([declare('file#/etc/motd')], {
  controls: [control('look-1', [], { manual: true, tags: ['ssh'] }), control('look-2', [], { manual: true })],
})

test.each<[string, Partial<Selection>, readonly string[]]>([
  ['nothing asked takes all', {}, ['look-1', 'look-2']],
  ['a control', { only: ['look-2'] }, ['look-2']],
  ['a tag', { only: ['tag:ssh'] }, ['look-1']],
  ['a resource alone takes none', { only: ['file#*'] }, []],
  ['skip', { skip: ['tag:ssh'] }, ['look-2']],
])('controls that a person looks at: %s', (_title, selection, expected) => {
  const { bareControls, unmatched } = select([forPeople], { only: [], skip: [], ...selection })
  expect([...(bareControls.get(forPeople) ?? [])]).toEqual(expected)
  expect(unmatched).toEqual([])
})
