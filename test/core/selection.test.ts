import fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatcher, select, type Selection } from '../../src/core/selection.ts'
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
