import { expect, test } from 'vitest'
import { type Layer, mergeLayers } from '../../../src/policy/data/merge.ts'
import { customFactDirectories, parseFacts, readCustomFacts } from '../../../src/policy/facts/custom.ts'
import { toPlain } from '../../../src/templates/govalue/index.ts'
import { type MachineFiles, machineOf } from '../../support/machine.ts'

const DIRECTORIES = customFactDirectories('/home/ann/.config')

function read(machine: MachineFiles): { facts: unknown; trouble: readonly string[] } {
  const files = readCustomFacts(machineOf(machine), DIRECTORIES, 1000)
  const layers = files.flatMap((file): Layer[] =>
    'facts' in file ? [{ origin: file.path, data: file.facts, merge: 'deep' }] : [],
  )
  const trouble = files.flatMap((file) => ('trouble' in file ? [`${file.path}: ${file.trouble}`] : []))
  return { facts: toPlain(mergeLayers(layers)), trouble }
}

test('later files win: json, yaml, facts.d by name, then the user; maps merge and lists join', () => {
  const files = {
    '/etc/driftgate/facts.json': '{"env": "test", "tags": ["a"], "site": {"name": "x", "rack": 1}}',
    '/etc/driftgate/facts.yaml': 'env: stage\nsite: {rack: 2}\n',
    '/etc/driftgate/facts.d/20-b.yaml': 'tags: [c]\nfrom: twenty\n',
    '/etc/driftgate/facts.d/10-a.JSON': '{"tags": ["b"], "from": "ten"}',
    '/etc/driftgate/facts.d/ignored.yml': 'from: ignored\n',
    '/home/ann/.config/driftgate/facts.yaml': 'env: mine\n',
  }
  expect(read({ files, stats: { '/home/ann/.config/driftgate/facts.yaml': { uid: 1000 } } })).toEqual({
    facts: { env: 'mine', tags: ['a', 'b', 'c'], site: { name: 'x', rack: 2 }, from: 'twenty' },
    trouble: [],
  })
})

test("CCM's directories serve as fallback without a directory of driftgate", () => {
  const ccm = { '/etc/choria/ccm/facts.yaml': 'env: ccm\n' }
  expect(read({ files: ccm }).facts).toEqual({ env: 'ccm' })
  expect(read({ files: { ...ccm, '/etc/driftgate/facts.yaml': 'own: 1\n' } }).facts).toEqual({ own: 1 })
})

test.each<[string, NonNullable<MachineFiles['stats']>[string], string]>([
  ['a link', { kind: 'symlink' }, 'it is a symlink, not a regular file'],
  ['writable by others', { mode: 0o666 }, 'other users can write to it: run chmod go-w'],
  ['writable by the group', { mode: 0o664 }, 'other users can write to it: run chmod go-w'],
  ['too large', { sizeBytes: 1024 * 1024 + 1 }, 'it is larger than 1 MiB'],
  ['owned by another user', { uid: 1001 }, 'its owner is neither root nor the current user'],
])('a file of facts that is %s is refused and said so', (_title, stat, reason) => {
  const path = '/etc/driftgate/facts.yaml'
  expect(read({ files: { [path]: 'env: evil\n' }, stats: { [path]: stat } })).toEqual({
    facts: {},
    trouble: [`${path}: ${reason}`],
  })
})

test('broken facts are told with the reason, beside what the others hold', () => {
  const { facts, trouble } = read({
    files: {
      '/etc/driftgate/facts.json': '{"a": ',
      '/etc/driftgate/facts.yaml': 'b: 1\n',
      '/etc/driftgate/facts.d/x.yaml': '- 1\n',
    },
  })
  expect(facts).toEqual({ b: 1 })
  expect(trouble).toHaveLength(2)
  expect(trouble[1]).toBe('/etc/driftgate/facts.d/x.yaml: it does not contain a map')
})

test('numbers keep their kind', () => {
  const parsed = parseFacts('int: 1\nfloat: 1.5\nbig: 9007199254740993\n')
  expect(parsed.ok && [...parsed.value.values()]).toEqual([1n, 1.5, 9007199254740993n])
})

test('merge keys are merged', () => {
  const parsed = parseFacts('a: &a {x: 1, y: 1}\nb: {<<: *a, y: 2}\n')
  expect(parsed.ok && parsed.value.get('b')).toEqual(
    new Map([
      ['x', 1n],
      ['y', 2n],
    ]),
  )
  expect(parseFacts('a: &a 1\nb: {<<: *a}\n')).toMatchObject({ ok: false })
})
