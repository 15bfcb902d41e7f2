import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordFiles } from '../../../src/settings/files.ts'
import { pgHba } from '../../../src/settings/postgresql/hba.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { PATIENCE } from '../../support/soak.ts'
import { agreesWith, effectiveOn, type Files, machines, named, valueOn } from '../../support/surface-oracle.ts'
import { askEach, noServer, PROGRAMS } from './server.ts'

const DIRECTORY = '/etc/postgresql/15/main'
const place = { directory: DIRECTORY, data: '/data' }

const who = fc.constantFrom('all all', 'all\tpostgres', 'db1,db2 "a b"', '"all" +staff', 'all,db @none')
const method = fc.constantFrom(
  'trust',
  'scram-sha-256',
  'md5',
  'reject',
  'peer map=x',
  'ident',
  'cert clientcert=verify-full',
)
const ADDRESSES =
  '127.0.0.1/32|::1/128|0.0.0.0/0|10.0.0.0 255.0.0.0|fe80::1 ffff::|localhost|.example.com|samehost|samenet|all|127.0.0.1|10.1.2.3/8|::/0|127.0.0.0 255.0.0.0'
const address = fc.constantFrom(...ADDRESSES.split('|'))
const record = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(fc.constant('local'), who, method) },
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constantFrom('host', 'hostssl', 'hostnossl', 'hostgssenc', 'hostnogssenc'),
      who,
      address,
      method,
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(['# local all all trust'], [''], ['host all all \\\n 10.0.0.0/8 md5']) },
)
const written = fc
  .tuple(record, fc.constantFrom(' ', '\t', '   '), fc.constantFrom('', ' # x'))
  .map(([words, between, tail]) => words.join(between) + tail)
const files: fc.Arbitrary<Files> = fc.array(written, { maxLength: 5 }).map((lines) => ({
  [`${DIRECTORY}/postgresql.conf`]: "data_directory = '/data'\n",
  [`${DIRECTORY}/pg_hba.conf`]: `${lines.join('\n')}\n`,
}))

test.skipIf(noServer)(
  named('records have the types, addresses and methods that the server finds in them', noServer),
  { timeout: PATIENCE },
  () => {
    const all = machines(hostile(files, /hba/))
    const query = `SELECT coalesce(type, ''), coalesce(address, ''), coalesce(auth_method, ''), coalesce(error, '') FROM pg_hba_file_rules ORDER BY line_number;`
    let compared = 0
    const wrong = askEach(all, place, query).flatMap((rows, index) => {
      const each = all[index] ?? {}
      // What the server refuses keeps the old records, and no order of ours depends on it.
      if (rows.some(([, , , error]) => error !== '')) return []
      compared += 1
      const host = rows.filter(([type]) => type !== 'local')
      const theirs = [rows, host].map((some) => some.map(([, , auth]) => auth).join(' '))
      const ours = ['methods', 'host_methods'].map((key) => valueOn(pgHba, each, key))
      return ours.every((value, at) => agreesWith(value, theirs[at])) ? [] : [{ each, ours, theirs }]
    })
    expectAgreement({ reader: 'pg_hba.conf', program: PROGRAMS?.postgres ?? '', texts: all.length }, wrong)
    expect(compared).toBeGreaterThan(all.length / 5)
  },
)

function plain(text: string): string | undefined {
  return valueOn(pgHba, { [`${DIRECTORY}/postgresql.conf`]: '', [`${DIRECTORY}/pg_hba.conf`]: text }, 'plain_addresses')
}

test('connections from other machines without TLS are named by their addresses', () => {
  const loopback =
    'local all all peer\nhost all all 127.0.0.1/32 md5\nhost all all ::1/128 md5\nhost all all localhost md5\n'
  expect(plain(loopback)).toBe('')
  expect(plain('hostssl all all 0.0.0.0/0 scram-sha-256\nhost all all 0.0.0.0/0 reject\n')).toBe('')
  expect(plain('host all all 10.0.0.0 255.0.0.0 md5\nhostnossl all all all md5\n')).toBe('10.0.0.0/255.0.0.0 all')
  // A name may stand for an address of IPv6, and no address of IPv4 is one of IPv6.
  expect(plain('host all all 0.0.0.0/0 reject\nhost all all db.example.org md5\n')).toBe('db.example.org')
  expect(plain('host all all ::/0 reject\nhost all all 10.0.0.0/8 md5\n')).toBe('10.0.0.0/8')
  expect(plain('host all all all reject\nhost all all db.example.org md5\n')).toBe('')
  // A network of which a part alone is this machine.
  expect(plain('host all all 127.0.0.1/0 md5\n')).toBe('127.0.0.1/0')
})

test.each([
  ['host all all\n', 'not a valid pg_hba record'],
  ['local all\fall peer\n', 'not a valid pg_hba record'],
  ['hostile all all all md5\n', 'not a valid pg_hba record'],
  ["include 'none'\n", 'does not exist'],
])('a file that the server would refuse is unknown: %j', (text, why) => {
  const machine = { [`${DIRECTORY}/postgresql.conf`]: '', [`${DIRECTORY}/pg_hba.conf`]: text }
  expect(effectiveOn(pgHba, machine, 'methods')).toContain(why)
})

test('the file may lie elsewhere, and include others', () => {
  const machine = {
    [`${DIRECTORY}/postgresql.conf`]: "hba_file = '/srv/hba.conf'\n",
    '/srv/hba.conf': 'include more.conf\ninclude_if_exists none.conf\ninclude_dir d\n',
    '/srv/more.conf': 'local all all trust\n',
    '/srv/d/a.conf': 'local all all peer\n',
  }
  expect(valueOn(pgHba, machine, 'methods')).toBe('trust peer')
})

test('a fix changes no record', () => {
  const { files: config } = recordFiles(machineOf({ [`${DIRECTORY}/postgresql.conf`]: '' }))
  const { format } = pgHba.writes(config, { section: '', key: 'methods' })
  const place = { section: '', key: 'methods', isSame: () => true, which: 'all' as const }
  expect(format.set('', place, ['peer']).kind).toBe('refused')
  expect(format.remove('', place).kind).toBe('refused')
  expect(pgHba.keyOf('trust')).toHaveProperty('problem')
})
