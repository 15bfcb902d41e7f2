import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Account } from '../../../src/host/command.ts'
import type { Testimony } from '../../../src/host/witness.ts'
import { effectiveOf, valueOf } from '../../../src/settings/effective.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { postgresql } from '../../../src/settings/postgresql/index.ts'
import type { ConfigFiles, WitnessAnswer, WitnessQuestion } from '../../../src/settings/surface.ts'
import { expectAgreement } from '../../support/proof.ts'
import { machineIn } from '../../support/setting-machine.ts'
import { PATIENCE, sample } from '../../support/soak.ts'
import { type Files, named } from '../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { CLUSTER as CONFIG, noServer, PROGRAMS } from './server.ts'

const PROGRAM = PROGRAMS?.postgres ?? ''
const owner = statSync('/var/lib/postgresql', { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 }

interface Cluster {
  readonly config: ConfigFiles
  readonly ask: (key: string) => WitnessAnswer
  readonly commands: (key: string) => WitnessQuestion['commands'] | readonly []
  /** Whether the program rejects the files. */
  readonly isRejected: () => boolean
  readonly at: (path: string) => string
}

function run([program = '', ...args]: readonly string[], { uid, gid }: Account): Testimony {
  const options = { uid, gid, cwd: '/', env: { LC_ALL: 'C' }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(program, args, options)
  return { exitCode: status ?? 1, stdout, stderr }
}

/** A cluster with these files: those of its configuration by name, and those of its data below `data/`. */
function clusterOf(files: Files): Cluster {
  const root = temporaryDirectory()
  const at = (path: string): string => {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    return join(root, path)
  }
  const all = { 'postgresql.conf': '', 'data/postgresql.auto.conf': '', ...files }
  for (const [name, text] of Object.entries(all)) {
    const head = name === 'postgresql.conf' ? `data_directory = '${root}/data'\n` : ''
    writeFileSync(at(name.startsWith('data/') ? name : `${CONFIG}/${name}`), head + text)
  }
  symlinkSync(PROGRAM, at(PROGRAM))
  symlinkSync(root, at(root))
  chownSync(join(root, 'data'), owner.uid, owner.gid)
  chmodSync(join(root, 'data'), 0o700)
  const { files: config } = recordFiles(machineIn(root))
  const questionOf = (key: string): WitnessQuestion | undefined =>
    postgresql.witness?.(config, { section: '', key }, {})[0]
  return {
    config,
    at,
    commands: (key) => questionOf(key)?.commands ?? [],
    ask(key) {
      const question = questionOf(key)
      if (question === undefined) return { kind: 'silent' }
      const answers = question.commands.map((argv) =>
        run(
          argv.map((word) => word.replace(/^config_file=/, `config_file=${root}`)),
          question.manner?.user ?? owner,
        ),
      )
      return question.hear(answers as [Testimony])
    },
    isRejected: () => run([PROGRAM, '-C', 'port', '-D', `${root}${CONFIG}`], owner).exitCode !== 0,
  }
}

/** What the reading and the program say of a key, or that they reject the files; undefined where one of them is silent. */
function compare(files: Files, key: string): { readonly ours: string; readonly theirs: string } | undefined {
  const { config, ask, isRejected } = clusterOf(files)
  const name = { section: '', key }
  const [read, rules] = [postgresql.read(config), postgresql.rulesOf(name, config)]
  if (read.kind === 'unknown') return { ours: 'rejected', theirs: isRejected() ? 'rejected' : read.detail }
  const effective = effectiveOf(postgresql, read.value, name)
  const heard = ask(key)
  const ours = effective.kind === 'known' ? valueOf(effective.value[0], rules) : undefined
  if (heard.kind === 'refused') return { ours: ours ?? '', theirs: heard.words }
  if (heard.kind !== 'said' || ours === undefined) return undefined
  return { ours, theirs: rules.order.equals(ours, heard.value) ? ours : heard.value }
}

const SWITCH = `on|off|'of'|'tr'|1|0|YES|no|f|'ye'|'t'`
const TIME = `0|'5min'|5min|'1.5 h'|300s|1d|90000ms|'100us'|1500|0x3e8|'2 s'|1e3|+7|'0.5 min'|07|' 5 '|'1.9999s'`
const SIZE = `12MB|'12 MB'|12288|0x3000|014000|'1.5GB'|4MB|8192kB|'1e3MB'|9999999B|'10 MB '|1024.6kB`
const TEXT = String.raw`''|'%m [%p] '|'it''s'|'it\'s'|'a\nb'|'\101\x41'|'a#b'|' x '|a_b|a-b:c|/tmp|'\\'|'é'|'\303\251'|'\8'|'a\000b'|1.5`
const VALUES: Readonly<Record<string, string>> = {
  'work_mem sort_mem Work_Mem vacuum_mem maintenance_work_mem temp_buffers shared_buffers': SIZE,
  'statement_timeout log_min_duration_statement Statement_Timeout': TIME,
  'log_connections Log_Connections track_io_timing ssl fsync': SWITCH,
  log_rotation_age: `1d|1440|'24 h'|0|'90s'|0x10|'1.5h'`,
  log_min_duration_statement: '-1',
  authentication_timeout: `60|1min|'90s'|1e2|0100`,
  wal_level: 'replica|hot_standby|archive|MINIMAL',
  log_statement: `ddl|DDL|'all'|Mod`,
  log_min_messages: 'debug|notice|LOG|PANIC',
  ssl_min_protocol_version: `TLSv1.2|'TLSv1.3'|tlsv1.2`,
  'datestyle DateStyle': `'iso, mdy'|ISO|'SQL, DMY'|'Postgres,  European'`,
  timezone: `utc|UTC|'europe/berlin'|+3|-3.5`,
  client_encoding: `'utf8'|latin1|UTF-8`,
  'log_file_mode unix_socket_permissions': `0600|384|0x180|0640|'0640'`,
  listen_addresses: `'*'|''|'a , b'|localhost|'0.0.0.0,::'`,
  'max_connections port': `100|0x20|0100|' 50 '|1e2|'99.6'`,
  seq_page_cost: `1|1.0|.5|5.|1e2|'1.50'`,
  'log_line_prefix application_name cluster_name x.y X.Y log_directory shared_preload_libraries': TEXT,
  archive_command: `'cp %p /a/%f'|'A=b cp %p'`,
}

const typed = Object.entries(VALUES).flatMap(([keys, values]) =>
  keys.split(' ').map((key) => [fc.constant(key), fc.constantFrom(...values.split('|'))] as const),
)
const mixed = ['fsync', 'statement_timeout', 'log_statement', 'log_file_mode', 'block_size']
const pair = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...typed).chain((each) => fc.tuple(...each)) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...mixed), fc.constantFrom(...`${SIZE}|${TIME}|${TEXT}`.split('|'))),
  },
)
const ends = fc.constantFrom('', ' # why', '#x', ' ', '\r')
const assignment = fc
  .tuple(fc.constantFrom('', ' ', '\t'), pair, fc.constantFrom(' = ', '=', ' ', '\t=\t'), ends)
  .map(([lead, [key, value], between, tail]) => lead + key + between + value + tail)
const other = String.raw`include_dir 'conf.d'|include = 'more.conf'|include_if_exists='none.conf'|INCLUDE './conf.d/../more.conf'|include_if_exists 'conf.d'|include_dir more.conf|# 'open|work_mem|ssl on # 'x|port = 1 2`
const line = fc.oneof(
  { weight: 12, arbitrary: assignment },
  { weight: 2, arbitrary: fc.constantFrom(...other.split('|')) },
)
const text = fc.array(line, { maxLength: 3 }).map((lines) => `${lines.join('\n')}\n`)
const inner = fc.oneof(fc.constant(''), text).map((lines) => lines.replaceAll(/^include.*$/gim, ''))
const configuration: fc.Arbitrary<Files> = fc.record({
  'postgresql.conf': text,
  'more.conf': inner,
  'conf.d/a.conf': inner,
  'data/postgresql.auto.conf': inner,
})

/** A parameter that the files set, so that most questions are about these. */
function keyOf(files: Files): string {
  const keys = Array.from(
    Object.values(files)
      .join('\n')
      .matchAll(/^\s*([a-z_]\w*(?:\.\w+)?)[\s=]/gim),
    ([, key = '']) => key,
  )
  const set = keys.map((key) => key.toLowerCase()).filter((key) => !key.startsWith('include'))
  return set.at(-1)?.replace('sort_mem', 'work_mem').replace('vacuum_mem', 'maintenance_work_mem') ?? 'port'
}

test.skipIf(noServer)(named('the program prints what is read', noServer), { timeout: PATIENCE }, () => {
  const all = sample(configuration, { usual: 40, soak: 10_000 })
  let compared = 0
  const wrong = all.flatMap((files) => {
    const found = compare(files, keyOf(files))
    compared += found === undefined ? 0 : 1
    return found === undefined || found.ours === found.theirs ? [] : [{ files, key: keyOf(files), ...found }]
  })
  expectAgreement({ reader: 'postgres -C', program: PROGRAM, texts: all.length }, wrong)
  expect(compared).toBeGreaterThan(all.length / 2)
})

const told = (text: string, key: string): WitnessAnswer => clusterOf({ 'postgresql.conf': text }).ask(key)

test.skipIf(noServer).each([
  ['a value that is no switch', 'array_nulls = maybe\n', 'parameter "array_nulls" requires a Boolean value'],
  ['a value out of range', 'work_mem = 1kB\n', '1 kB is outside the valid range for parameter "work_mem"'],
  ['a value of a parameter without rules', 'wal_level = most\n', 'invalid value for parameter "wal_level": "most"'],
])('the program rejects %s, whatever its log and its language', (_, text, words) => {
  const reporting = "log_destination = 'syslog'\nlc_messages = 'de_DE.UTF-8'\n"
  for (const key of ['port', 'ssl', 'log_destination', 'shared_memory_size'])
    expect(told(`${text}${reporting}`, key)).toMatchObject({ kind: 'refused', words: expect.stringContaining(words) })
})

test.skipIf(noServer)('a missing file that may be missing is no complaint', () => {
  expect(told("include_if_exists 'none.conf'\nwork_mem = 1GB\n", 'work_mem')).toEqual({ kind: 'said', value: '1GB' })
})

test.skipIf(noServer)('a file that the owner of the cluster cannot read does not count', () => {
  const cluster = clusterOf({ 'postgresql.conf': 'ssl = on\n', 'data/postgresql.auto.conf': 'ssl = off\n' })
  chmodSync(cluster.at('data/postgresql.auto.conf'), 0o600)
  expect(cluster.ask('ssl')).toEqual({ kind: 'said', value: 'on' })
})

test.skipIf(noServer)('it is asked about parameters alone that are read, and no password becomes an argument', () => {
  const askedFor = (key: string): string[] =>
    clusterOf({ 'postgresql.conf': "primary_conninfo = 'host=a password=b'\n" })
      .commands(key)
      .map((argv) => argv[2] ?? '')
  expect(['ssl', 'shared_memory_size', 'log_destination', 'primary_conninfo'].map(askedFor)).toEqual([
    ['ssl', 'ssl'],
    ['port'],
    ['port'],
    ['primary_conninfo'],
  ])
})
