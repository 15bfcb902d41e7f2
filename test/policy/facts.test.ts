import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFacts } from '../../src/engine/inspect/find-facts.ts'
import { readInputs } from '../../src/policy/operator-inputs.ts'
import { scan } from '../../src/engine/local.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import type { SystemProbe } from '../../src/host/probe.ts'
import type { Target } from '../../src/host/target.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { machineOf } from '../support/machine.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** This very machine, with a note of every path that facts are read from. */
function watched(): { readonly target: Target; readonly asked: string[] } {
  const local = createLocalTarget()
  const asked: string[] = []
  const noting = <Rest extends readonly unknown[], Result>(
    name: string,
    call: (...args: Rest) => Result,
  ): ((...args: Rest) => Result) => {
    return (...args) => {
      asked.push(`${name} ${args.join(' ')}`.trim())
      return call(...args)
    }
  }
  const probe: SystemProbe = {
    machine: local.probe.machine,
    readText: noting('read', (path) => local.probe.readText(path)),
    list: noting('list', (path) => local.probe.list(path)),
    filesystemUsage: noting('usage', (path) => local.probe.filesystemUsage(path)),
    addresses: noting('addresses', () => local.probe.addresses()),
  }
  return {
    target: { ...local, probe, files: { ...local.files, lstat: noting('lstat', (path) => local.files.lstat(path)) } },
    asked,
  }
}

/** What is asked of the machine for facts while a policy with this content is loaded and audited. */
async function askedBy(content: string, extra = ''): Promise<readonly string[]> {
  const directory = temporaryDirectory()
  const file = join(directory, 'p.yaml')
  const body = `ensure: present, owner: root, group: root, mode: "0644", content: ${JSON.stringify(content)}`
  writeFileSync(file, `${extra}\nccm: {resources: [{file: {name: ${directory}/none, ${body}}}]}`)
  const { target, asked } = watched()
  const loaded = await loadPolicy(file, { target, environ: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  await scan(loaded.value, { target })
  return asked.filter((each) => !each.includes(directory))
}

test('a policy that mentions no fact asks the machine for none', async () => {
  expect(await askedBy('plain')).toEqual([])
  expect(await askedBy("{{ Data.x + 1 }} {{ lookup('data.x') }} {{ Environ.HOME }}", 'data: {x: 1}')).toEqual([])
})

test.each([
  ['{{ Facts.memory.virtual.total }}', /meminfo/, /cpuinfo|os-release|addresses|mount/],
  ["{{ lookup('facts.cpu.info.0.modelName', '') }}", /cpuinfo/, /meminfo|os-release|addresses|mount/],
  ['{{ Facts["network"] }}', /addresses/, /meminfo|cpuinfo|os-release|mount/],
  ['{{ Facts.host.info.platform }}', /os-release/, /meminfo|addresses|mount/],
  ['{{ Facts?.partition?.usage }}', /mounts|mountinfo/, /meminfo|cpuinfo|addresses|os-release/],
])('%s gathers its own family and no other', async (content, wanted, unwanted) => {
  const asked = await askedBy(content)
  expect(asked.filter((each) => wanted.test(each))).not.toEqual([])
  expect(asked.filter((each) => unwanted.test(each))).toEqual([])
})

test('a family is gathered once for the whole policy, whichever way it is asked for', async () => {
  const asked = await askedBy(
    '{{ Facts.memory.virtual.total }} {{ lookup("facts.memory.virtual.free") }} {{ Facts.memory.swap }}',
  )
  expect(asked.filter((each) => each === 'read /proc/meminfo')).toHaveLength(1)
})

test('what facts cannot be told apart gathers all of them', async () => {
  const asked = (await askedBy('{{ keys(Facts) }}')).join('\n')
  for (const part of [/meminfo/, /cpuinfo/, /os-release/, /addresses/]) expect(asked).toMatch(part)
})

test('a file of facts that others can write is a warning before the run, also where facts are asked for late', async () => {
  const target = machineOf({
    files: { '/etc/driftgate/facts.json': '{"role": "web"}' },
    stats: { '/etc/driftgate/facts.json': { mode: 0o666 } },
  })
  const file = join(temporaryDirectory(), 'p.yaml')
  const write = (content: string): void =>
    writeFileSync(
      file,
      `ccm: {resources: [{file: {name: /n, ensure: present, owner: root, group: root, mode: "0644", content: "${content}"}}]}`,
    )
  write('{{ Facts.role }}')
  const loaded = await loadPolicy(file, { target, environ: {}, uid: 0 })
  expect(loaded).toMatchObject({
    ok: true,
    warnings: [{ severity: 'warning', message: expect.stringContaining('/etc/driftgate/facts.json cannot be used') }],
  })
  write('{{ Data.role }}')
  expect(await loadPolicy(file, { target, environ: {}, uid: 0 })).toMatchObject({ ok: true, warnings: [] })
})

test('facts that are given win over those of files, and those over the machine', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'f.yaml'), 'role: file\nhost: {info: {platform: mine}}\n')
  const target = machineOf({
    files: { '/etc/driftgate/facts.yaml': 'role: custom\nsite: a\n' },
    os: { id: 'debian', version: '12' },
  })
  const read = await readInputs({
    target,
    environ: {},
    uid: 0,
    facts: [join(directory, 'f.yaml')],
    fact: ['role=flag', 'a.b=01'],
  })
  if (!read.ok) throw new Error('the facts are sound')
  const find = (path: string): unknown => findFacts(read.value.inputs, path)
  expect(find('role')).toEqual({ ok: true, value: 'flag' })
  expect(find('site')).toEqual({ ok: true, value: 'a' })
  expect(find('a.b')).toEqual({ ok: true, value: '01' })
  expect(find('host.info.platform')).toEqual({ ok: true, value: 'mine' })
  expect(find('host.info.os')).toEqual({ ok: true, value: 'linux' })
})

test.each([
  ['host.info.platfrom', /did you mean "host\.info\.platform"\?/],
  ['facts.host.info', /did you mean "host\.info"\?/],
  ['hsot', /did you mean "host"\?/],
  ['host.info.os.x', /"host\.info\.os" is linux/],
  ['network.interfaces.name', /is a list/],
  ['qqqqqqqq', /known: host.*memory/],
])('the path %s finds nothing and says what there is', async (path, message) => {
  const read = await readInputs({ target: machineOf({}), environ: {}, uid: 0 })
  if (!read.ok) throw new Error('nothing is given')
  expect(findFacts(read.value.inputs, path)).toMatchObject({ ok: false, message: expect.stringMatching(message) })
})
