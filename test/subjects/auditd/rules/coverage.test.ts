import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judged, respelled, RULE_PIECES, spelled } from '../../../support/audit-rules.ts'

const CHMOD = '-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=1000 -F auid!=unset -k perm_mod'
const DENIED = '-a always,exit -F arch=b64 -S openat -F exit=-EACCES -F auid>=1000 -F auid!=unset'
const SHADOW = '-w /etc/shadow -p wa -k identity'
const SU = '-a always,exit -F path=/usr/bin/su -F perm=x -F auid>=1000 -F auid!=unset -k privileged'

interface Case {
  readonly name: string
  readonly wanted: string
  readonly loaded: readonly string[]
  readonly expected: readonly string[]
}

const COVERED: readonly Case[] = [
  { name: 'the rule itself', wanted: CHMOD, loaded: [CHMOD], expected: ['covered'] },
  {
    name: 'auid!=-1 in place of auid!=unset',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=1000 -F auid!=-1 -k perm_mod'],
    expected: ['covered'],
  },
  {
    name: 'exit,always',
    wanted: CHMOD,
    loaded: ['-a exit,always -F arch=b64 -S chmod,fchmod -F auid>=1000 -F auid!=unset -k perm_mod'],
    expected: ['covered'],
  },
  {
    name: 'another order of fields',
    wanted: CHMOD,
    loaded: ['-a always,exit -F auid!=unset -F auid>=1000 -F arch=b64 -S fchmod -S chmod -k perm_mod'],
    expected: ['covered'],
  },
  {
    name: 'no key',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=1000 -F auid!=unset'],
    expected: ['covered'],
  },
  {
    name: 'more system calls, fewer fields',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S all'],
    expected: ['covered'],
  },
  {
    name: 'lower accounts, too',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=500'],
    expected: ['covered'],
  },
  {
    name: 'two rules, one system call each',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S chmod', '-a always,exit -F arch=b64 -S fchmod'],
    expected: ['covered'],
  },
  {
    name: 'system calls by number',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S 90,91'],
    expected: ['covered'],
  },
  {
    name: 'no architecture and numbers of the machine',
    wanted: CHMOD,
    loaded: ['-a always,exit -S chmod,fchmod'],
    expected: ['covered'],
  },
  {
    name: 'no architecture, where the numbers are those of other calls of the other architecture',
    wanted: '-a always,exit -F arch=b32 -S chmod',
    loaded: ['-a always,exit -S chmod'],
    expected: ['missing'],
  },
  {
    name: 'no architecture, where the number fits: 15 is rt_sigreturn here and chmod there',
    wanted: '-a always,exit -F arch=b32 -S chmod',
    loaded: ['-a always,exit -S rt_sigreturn'],
    expected: ['covered'],
  },
  {
    name: 'a system call fails exactly where its result is an error',
    wanted: DENIED,
    loaded: ['-a always,exit -F arch=b64 -S openat -F success=0'],
    expected: ['covered'],
  },
  {
    name: 'a range of results',
    wanted: DENIED,
    loaded: ['-a always,exit -F arch=b64 -S openat -F exit>=-100'],
    expected: ['covered'],
  },
  {
    name: '-w for path and perm',
    wanted: SHADOW,
    loaded: ['-a always,exit -F path=/etc/shadow -F perm=wa'],
    expected: ['covered'],
  },
  {
    name: 'both architectures, each by a rule',
    wanted: SHADOW,
    loaded: [
      '-a always,exit -F arch=b64 -F path=/etc/shadow -F perm=wa',
      '-a always,exit -F arch=b32 -F path=/etc/shadow -F perm=wa',
    ],
    expected: ['covered'],
  },
  {
    name: 'a directory above',
    wanted: SHADOW,
    loaded: ['-a always,exit -F dir=/etc -F perm=wa'],
    expected: ['covered'],
  },
  { name: 'the root directory', wanted: SHADOW, loaded: ['-a always,exit -F dir=/ -F perm=wa'], expected: ['covered'] },
  { name: 'more permissions', wanted: SHADOW, loaded: ['-w /etc/shadow -p rwxa'], expected: ['covered'] },
  {
    name: 'permissions of two rules',
    wanted: SHADOW,
    loaded: ['-w /etc/shadow -p w', '-w /etc/shadow -p a'],
    expected: ['covered'],
  },
  { name: 'every access', wanted: SHADOW, loaded: ['-a always,exit -F path=/etc/shadow'], expected: ['covered'] },
  { name: 'everything', wanted: SU, loaded: ['-a always,exit'], expected: ['covered'] },
  {
    name: 'fields compared in the other order',
    wanted: '-a always,exit -F arch=b64 -S execve -C uid!=euid -F euid=0',
    loaded: ['-a always,exit -F arch=b64 -S execve -C euid!=uid'],
    expected: ['covered'],
  },
  {
    name: 'a call that no program here can make',
    wanted: '-a always,exit -F arch=b64 -S stime',
    loaded: [],
    expected: [],
  },
  {
    name: 'an exclusion as it is wanted',
    wanted: '-a never,exclude -F msgtype=CWD',
    loaded: ['-a always,exclude -F msgtype=1307'],
    expected: ['covered'],
  },
]

const NARROWER: readonly Case[] = [
  { name: 'nothing', wanted: CHMOD, loaded: [], expected: ['missing'] },
  { name: 'another account alone', wanted: CHMOD, loaded: [`${CHMOD} -F uid=5555`], expected: ['narrower by 1'] },
  {
    name: 'one of the system calls',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S chmod'],
    expected: ['covered', 'missing'],
  },
  {
    name: 'higher accounts alone',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=1001'],
    expected: ['narrower by 1'],
  },
  {
    name: 'an upper bound',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b64 -S chmod,fchmod -F auid>=1000 -F auid<60000'],
    expected: ['narrower by 1'],
  },
  {
    name: 'the other architecture',
    wanted: CHMOD,
    loaded: ['-a always,exit -F arch=b32 -S all'],
    expected: ['missing'],
  },
  {
    name: 'another error',
    wanted: DENIED,
    loaded: ['-a always,exit -F arch=b64 -S openat -F exit=-EPERM'],
    expected: ['missing'],
  },
  {
    name: 'success alone',
    wanted: DENIED,
    loaded: ['-a always,exit -F arch=b64 -S openat -F success=1'],
    expected: ['missing'],
  },
  {
    name: 'fewer permissions',
    wanted: SHADOW,
    loaded: ['-w /etc/shadow -p w'],
    expected: ['covered', 'narrower by 1'],
  },
  {
    name: 'one architecture',
    wanted: SHADOW,
    loaded: ['-a always,exit -F arch=b64 -F path=/etc/shadow -F perm=wa'],
    expected: ['covered', 'missing'],
  },
  {
    name: 'the path of the directory above, which is about its own entries',
    wanted: SHADOW,
    loaded: ['-a always,exit -F path=/etc -F perm=wa'],
    expected: ['narrower by 1'],
  },
  {
    name: 'a directory of a similar name',
    wanted: SHADOW,
    loaded: ['-a always,exit -F dir=/etc/sha -F perm=wa'],
    expected: ['missing'],
  },
  {
    name: 'system calls, where access is wanted',
    wanted: SHADOW,
    loaded: ['-a always,exit -F arch=b64 -S openat -F path=/etc/shadow'],
    expected: ['missing'],
  },
  {
    name: 'a directory, where only its own path is watched',
    wanted: '-a always,exit -F dir=/etc/audit -F perm=wa',
    loaded: ['-a always,exit -F path=/etc/audit -F perm=wa'],
    expected: ['narrower by 1'],
  },
  {
    name: 'bits are compared as they are written',
    wanted: '-a always,exit -F arch=b64 -S open -F a1&0100',
    loaded: ['-a always,exit -F arch=b64 -S open -F a1&0101'],
    expected: ['narrower by 1'],
  },
  {
    name: 'another exclusion',
    wanted: '-a never,exclude -F msgtype=CWD',
    loaded: ['-a never,exclude -F msgtype=EOE'],
    expected: ['missing'],
  },
]

const HIDDEN: readonly Case[] = [
  {
    name: 'an earlier never for more',
    wanted: CHMOD,
    loaded: ['-a never,exit -F auid>=1000', CHMOD],
    expected: ['hidden by 1'],
  },
  {
    name: 'an earlier never for a part',
    wanted: CHMOD,
    loaded: ['-a never,exit -F arch=b64 -S chmod -F uid=33', CHMOD],
    expected: ['covered', 'hidden by 1'],
  },
  { name: 'a later never', wanted: CHMOD, loaded: [CHMOD, '-a never,exit -F auid>=1000'], expected: ['covered'] },
  {
    name: '-A never after it',
    wanted: CHMOD,
    loaded: [CHMOD, '-A never,exit -F auid>=1000'],
    expected: ['hidden by 2'],
  },
  {
    name: 'a never for others',
    wanted: CHMOD,
    loaded: ['-a never,exit -F arch=b64 -S chmod -F auid=unset', CHMOD],
    expected: ['covered'],
  },
  {
    name: 'a never for lower accounts',
    wanted: CHMOD,
    loaded: ['-a never,exit -F auid<1000', CHMOD],
    expected: ['covered'],
  },
  {
    name: 'a never for success, where failure is wanted',
    wanted: DENIED,
    loaded: ['-a never,exit -F success=1', DENIED],
    expected: ['covered'],
  },
  {
    name: 'a never for another system call',
    wanted: CHMOD,
    loaded: ['-a never,exit -F arch=b64 -S adjtimex', CHMOD],
    expected: ['covered'],
  },
  {
    name: 'a never for a system call that is no access',
    wanted: SHADOW,
    loaded: ['-a never,exit -F arch=b64 -S rt_sigreturn', SHADOW],
    expected: ['covered'],
  },
  {
    name: 'a never for a system call that writes',
    wanted: SHADOW,
    loaded: ['-a never,exit -F arch=b64 -S openat', SHADOW],
    expected: ['covered', 'hidden by 1'],
  },
  {
    name: 'a never for the directory',
    wanted: SHADOW,
    loaded: ['-a never,exit -F dir=/etc -F perm=w', SHADOW],
    // link(2) counts as a change of attributes, too.
    expected: ['hidden by 1'],
  },
  {
    name: 'a never for reading, which is about what is opened for reading and writing, too',
    wanted: '-w /etc/shadow -p w',
    loaded: ['-a never,exit -F path=/etc/shadow -F perm=r', SHADOW],
    expected: ['hidden by 1'],
  },
  {
    name: 'a never for reading, where attributes alone are wanted',
    wanted: '-w /etc/shadow -p a',
    loaded: ['-a never,exit -F path=/etc/shadow -F perm=r', SHADOW],
    expected: ['covered'],
  },
  {
    name: 'a never for a directory elsewhere',
    wanted: SHADOW,
    loaded: ['-a never,exit -F dir=/var/cache', SHADOW],
    expected: ['covered'],
  },
  {
    name: 'a never within a wanted directory',
    wanted: '-a always,exit -F dir=/etc -F perm=wa',
    loaded: ['-a never,exit -F path=/etc/mtab', '-a always,exit -F dir=/etc -F perm=wa'],
    expected: ['hidden by 1'],
  },
  {
    name: 'a never for a program',
    wanted: SHADOW,
    loaded: ['-a never,exit -F exe=/usr/bin/vim', SHADOW],
    expected: ['hidden by 1'],
  },
  { name: 'no process at all', wanted: CHMOD, loaded: [CHMOD, '-a never,task'], expected: ['hidden by 2'] },
  {
    name: 'the record itself is excluded',
    wanted: CHMOD,
    loaded: [CHMOD, '-a always,exclude -F msgtype=SYSCALL'],
    expected: ['hidden by 2'],
  },
  {
    name: 'everything of the account is excluded',
    wanted: CHMOD,
    loaded: [CHMOD, '-a never,exclude -F auid=1000'],
    expected: ['hidden by 2'],
  },
  {
    name: 'a range of records is excluded',
    wanted: SHADOW,
    loaded: [SHADOW, '-a never,exclude -F msgtype>=1301'],
    expected: ['hidden by 2'],
  },
  {
    name: 'arguments are excluded',
    wanted: '-a always,exit -F arch=b64 -S execve',
    loaded: ['-a always,exit -F arch=b64 -S execve', '-a never,exclude -F msgtype=EXECVE'],
    expected: ['hidden by 2'],
  },
  {
    name: 'other records are excluded',
    wanted: SHADOW,
    loaded: [SHADOW, '-a always,exclude -F msgtype=CWD', '-a always,exclude -F msgtype=USER_ACCT'],
    expected: ['covered'],
  },
  {
    name: 'a file system',
    wanted: SHADOW,
    loaded: [SHADOW, '-a never,filesystem -F fstype=0xef53'],
    expected: ['hidden by 2'],
  },
  {
    name: 'the file systems of the kernel',
    wanted: SHADOW,
    loaded: [SHADOW, '-a never,filesystem -F fstype=tracefs'],
    expected: ['covered'],
  },
]

const ENDED: readonly Case[] = [
  {
    name: 'a line that is not known may be anything',
    wanted: CHMOD,
    loaded: ['-a never,exit -F strange=1', CHMOD],
    expected: ['unclear by 1'],
  },
  {
    name: 'and decides nothing behind the rule',
    wanted: CHMOD,
    loaded: [CHMOD, '-a never,exit -F strange=1'],
    expected: ['covered'],
  },
  {
    name: 'auditctl stops at a rule that is there already',
    wanted: CHMOD,
    loaded: [SHADOW, SHADOW, CHMOD],
    expected: ['ended by 2'],
  },
  { name: 'but not after -i', wanted: CHMOD, loaded: ['-i', SHADOW, SHADOW, CHMOD], expected: ['covered'] },
  {
    name: 'nor at one with its fields in another order',
    wanted: CHMOD,
    loaded: ['-a always,exit -F uid=1 -F gid=2', '-a always,exit -F gid=2 -F uid=1', CHMOD],
    expected: ['covered'],
  },
  { name: 'nothing is taken after -e 2', wanted: CHMOD, loaded: ['-e 2', CHMOD], expected: ['ended by 2'] },
  { name: '-D takes away what came before', wanted: CHMOD, loaded: [CHMOD, '-D'], expected: ['missing'] },
]

for (const [title, list] of Object.entries({ COVERED, NARROWER, HIDDEN, ENDED })) {
  describe(title.toLowerCase(), () => {
    test.each(list)('$name', ({ wanted, loaded, expected }) => {
      expect(judged(wanted, loaded)).toEqual(expected)
    })
  })
}

describe('the key', () => {
  const other = CHMOD.replace('perm_mod', 'other')

  test.each([
    [CHMOD, ['covered']],
    [other, ['other-key by 1']],
    [`${other} -k perm_mod`, ['covered']],
  ])('where it is wanted: %s', (loaded, expected) => {
    expect(judged(CHMOD, [loaded], { comparesKey: true })).toEqual(expected)
  })

  test('is not compared otherwise', () => {
    expect(judged(CHMOD, [other])).toEqual(['covered'])
  })
})

describe('generated rules', () => {
  test('cover themselves in every spelling', () => {
    fc.assert(
      fc.property(RULE_PIECES, (pieces) => {
        expect(judged(spelled(pieces), [respelled(pieces)])).toEqual(['covered'])
      }),
    )
  })

  test('are covered by those with fewer conditions and more system calls, and these not by them', () => {
    fc.assert(
      fc.property(RULE_PIECES, fc.nat(), (pieces, nth) => {
        const { conditions, calls } = pieces
        const kept = conditions.filter((_, index) => index !== nth % Math.max(conditions.length, 1))
        const wider = { ...pieces, conditions: kept, calls: calls.includes('all') ? calls : [...calls, 'rmdir'] }
        expect(judged(spelled(pieces), [spelled(wider)])).toEqual(['covered'])
        if (!calls.includes('all')) expect(judged(spelled(wider), [spelled(pieces)])).not.toEqual(['covered'])
      }),
    )
  })

  test('are hidden by a never before them, and not by one behind them', () => {
    fc.assert(
      fc.property(RULE_PIECES, (pieces) => {
        const never = respelled(pieces).replace('always', 'never')
        expect(judged(spelled(pieces), [never, spelled(pieces)])).toEqual(['hidden by 1'])
        expect(judged(spelled(pieces), [spelled(pieces), never])).toEqual(['covered'])
      }),
    )
  })
})
