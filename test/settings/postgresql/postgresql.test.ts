import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { known } from '../../../src/model/observation.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { postgresqlFormat } from '../../../src/settings/postgresql/format.ts'
import { postgresql } from '../../../src/settings/postgresql/index.ts'
import { KNOWN_DEFAULTS } from '../../../src/settings/postgresql/parameters.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { PATIENCE } from '../../support/soak.ts'
import { effectiveOn, type Files, machines, named, valueOn } from '../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { noServer, PROGRAMS, settingsOf } from './server.ts'

const DIRECTORY = '/etc/postgresql/15/main'
const MAIN = `${DIRECTORY}/postgresql.conf`
const KEYS = ['log_connections', 'work_mem', 'log_line_prefix', 'search_path']

/** The names that are in a server program. */
const PROGRAM = { '/usr/lib/postgresql/15/bin/postgres': [...KEYS, 'data_directory', ''].join('\0') }

const name = fc.constantFrom('log_connections', 'Log_Connections', 'work_mem', 'log_line_prefix', 'search_path')
const VALUES = String.raw`on|'off'|1|'a''b'|'c\'d\\e'|'\101\n\q'|0x1F|12MB|' x # y '|a-b:c|-1|1.5|a.b|_x|''|+7|1e5|12 MB|'open|a=b|$x|1.5GB|%m|/tmp`
const value = fc.constantFrom(...VALUES.split('|'))
const setting = fc
  .tuple(fc.constantFrom('', '  ', '\t'), name, fc.constantFrom(' = ', '=', ' ', '\t', ''), value)
  .map(([lead, key, between, each]) => `${lead}${key}${between}${each}`)
const line = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.tuple(setting, fc.constantFrom('', ' # why', '#x', '  ')).map((parts) => parts.join('')),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('', '# log_connections = on', "include_dir = 'conf.d'", "include 'more.conf'"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("include_if_exists 'none.conf'", 'include none.conf', '=', 'work_mem', ' 5'),
  },
)
const text = fc.array(line, { maxLength: 4 }).map((lines) => `${lines.join('\n')}\n`)
const configuration: fc.Arbitrary<Files> = fc
  .record({ main: text, more: text, one: text, two: text, hidden: text, auto: fc.option(setting) })
  .map(({ main, more, one, two, hidden, auto }) => ({
    [MAIN]: `data_directory = '/data'\n${main}`,
    [`${DIRECTORY}/more.conf`]: more.replaceAll(/^include.*$/gm, ''),
    [`${DIRECTORY}/conf.d/a.conf`]: one.replaceAll(/^include.*$/gm, ''),
    [`${DIRECTORY}/conf.d/Z.conf`]: two.replaceAll(/^include.*$/gm, ''),
    [`${DIRECTORY}/conf.d/.a.conf`]: hidden,
    [`${DIRECTORY}/conf.d/a.conf.bak`]: hidden,
    ...(auto === null ? {} : { '/data/postgresql.auto.conf': `${auto}\n` }),
  }))

test.skipIf(noServer)(named('effective values equal those of the server', noServer), { timeout: PATIENCE }, () => {
  const all = machines(hostile(configuration, /more|conf\.d/))
  const told = settingsOf(all, { directory: DIRECTORY, data: '/data' })
  let refused = 0
  const wrong = all.flatMap((files, index): unknown[] => {
    const theirs = told[index]
    const ours = KEYS.map((key) => [key, valueOn(postgresql, { ...files, ...PROGRAM }, key)] as const)
    if (theirs === 'refused') {
      refused += 1
      return ours.every(([, each]) => each?.startsWith('unknown: ')) ? [] : [{ files, ours, theirs }]
    }
    const written = ours.filter(([key, each]) => each !== defaultOf(key))
    const wanted = KEYS.map((key) => [key, theirs?.[key]]).filter(
      ([key, each]) => each !== defaultOf(key ?? '') && each !== undefined,
    )
    return JSON.stringify(written) === JSON.stringify(wanted) ? [] : [{ files, written, wanted }]
  })
  expectAgreement({ reader: 'postgresql.conf', program: PROGRAMS?.postgres ?? '', texts: all.length }, wrong)
  expect(refused).toBeGreaterThan(all.length / 10)
  expect(all.length - refused).toBeGreaterThan(all.length / 10)
})

function defaultOf(key: string): string | undefined {
  return postgresql.rulesOf({ section: '', key }).default
}

test.skipIf(noServer)(named('the defaults are those that the server is built with', noServer), () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'postgresql.conf'), '')
  for (const key of KNOWN_DEFAULTS) {
    const args = ['-C', key, '-D', directory, '-c', `config_file=${directory}/postgresql.conf`]
    const { status, stdout } = spawnSync(PROGRAMS?.postgres ?? '', args, { encoding: 'utf8' })
    const { order, default: ours = '' } = postgresql.rulesOf({ section: '', key })
    const theirs = stdout.replace(/\n$/, '')
    expect({ key, status, ours, theirs, same: order.equals(ours, theirs) }).toMatchObject({
      key,
      status: 0,
      same: true,
    })
  }
})

test
  .skipIf(noServer)
  .each([
    'log_file_mode = 600',
    'log_file_mode = 0600',
    'unix_socket_permissions = 01777',
    'unix_socket_permissions = 0770',
    'log_destination = file',
    "log_destination = ''",
    'log_destination = \'stderr, "CSVLOG"\'',
    'syslog_facility = auth',
    'syslog_facility = LOCAL3',
    'password_encryption = scram',
    'password_encryption = MD5',
    'max_connections = 0',
    'port = 65536',
    "log_statement = 'writes'",
  ])('driftgate rejects %j exactly if the server does', (text) => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'postgresql.conf'), `${text}\n`)
  const [key = ''] = text.split(' ')
  const args = ['-C', key, '-D', directory, '-c', `config_file=${directory}/postgresql.conf`]
  const { status } = spawnSync(PROGRAMS?.postgres ?? '', args)
  const effective = effectiveOn(postgresql, { [MAIN]: `${text}\n`, '/usr/lib/postgresql/15/bin/postgres': key }, key)
  expect(typeof effective === 'string').toBe(status !== 0)
})

test('each of several clusters has the value of its own files, or the default', () => {
  const files = {
    '/etc/postgresql/15/main/postgresql.conf': 'ssl = on\n',
    '/etc/postgresql/16/other/postgresql.conf': '# nothing\n',
  }
  const effective = effectiveOn(postgresql, files, 'ssl')
  expect(effective).toMatchObject([
    { scope: 'cluster 15/main', winners: [{ value: 'on' }] },
    { scope: 'cluster 16/other', winners: [], standsAlone: true },
  ])
})

test('a server before version 14 has no defaults that are known', () => {
  const old = recordFiles(machineOf({ '/etc/postgresql/13/main/postgresql.conf': '' })).files
  const key = { section: '', key: 'password_encryption' }
  expect(postgresql.rulesOf(key, old)).not.toHaveProperty('default')
  const recent = recordFiles(machineOf({ [MAIN]: '' })).files
  expect(postgresql.rulesOf(key, recent)).toHaveProperty('default', 'scram-sha-256')
})

test('a fix writes a drop-in where the main file reads them, else the main file', () => {
  const written = (text: string): string => {
    const { files } = recordFiles(machineOf({ [MAIN]: text, [`${DIRECTORY}/conf.d/x`]: '' }))
    return postgresql.writes(files, { section: '', key: 'ssl' }).file
  }
  expect(written("include_dir = 'conf.d'\t# files\n")).toBe(`${DIRECTORY}/conf.d/zz-driftgate.conf`)
  expect(written("#include_dir = 'conf.d'\n")).toBe(MAIN)
})

test('a value is written as the server reads it', () => {
  const place = { section: '', key: 'a', isSame: ({ key }: { key: string }) => key === 'a', which: 'last' as const }
  for (const each of ['on', '12MB', "it's", String.raw`a\b`, 'a.b', 'x, y', '', '%m [%p] ']) {
    const edited = postgresqlFormat.set('a = 1 # why\n', place, [each])
    if (edited.kind === 'refused') throw new Error(edited.reason)
    expect(edited.text).toMatch(/# why\n$/)
    expect(postgresqlFormat.parse(edited.text, 'x')).toMatchObject(known([{ key: 'a', value: each }]))
  }
})

test('permission bits are octal where they begin with 0, as the server has it', () => {
  const { order } = postgresql.rulesOf({ section: '', key: 'log_file_mode' })
  expect(order.equals('384', '0600')).toBe(true)
  expect([order.lower?.('0640', '0600'), order.lower?.('256', '0600'), order.lower?.('600', '0600')]).toEqual([
    '0600',
    '256',
    '0000',
  ])
  expect(order.raise?.('0600', '0640')).toBe('0640')
})

test('a setting that needs a server restart has the activation "reboot"', () => {
  const { files } = recordFiles(machineOf({ [MAIN]: '' }))
  const kindOf = (key: string): string | undefined =>
    typeof postgresql.activation === 'function'
      ? postgresql.activation(files, { section: '', key }).kind
      : postgresql.activation.kind
  expect([kindOf('ssl'), kindOf('listen_addresses')]).toEqual(['reload', 'reboot'])
})
