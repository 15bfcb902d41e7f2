import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { absent, known, present } from '../../src/core/observation.ts'
import { packageType } from '../../src/resources/package/index.ts'
import { resourceTypes } from '../../src/resources/index.ts'
import { NO_JOURNAL } from '../../src/target/local/journal.ts'
import { createLocalRemediator } from '../../src/target/local/local-remediator.ts'
import { createLocalTarget } from '../../src/target/local/local-target.ts'
import type { Remediator } from '../../src/target/remediator.ts'
import type { ServiceStatus } from '../../src/target/services.ts'
import type { Target } from '../../src/target/target.ts'
import { type ContractScene, contractTests, fixResource } from '../../src/testing/index.ts'
import { type AptRoot, createAptRoot, needsApt } from '../support/apt-root.ts'
import { needsRoot } from '../support/temporary.ts'
import { serve } from '../support/web-server.ts'

const self = { owner: String(process.geteuid?.()), group: String(process.getegid?.()) }

/** Writes files by path, made with their directories. */
function put(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
    chmodSync(join(directory, path), 0o644)
  }
}

const file: readonly ContractScene[] = [
  {
    title: 'a file as it has to be',
    state: 'compliant',
    arrange(directory) {
      put(directory, { a: 'text' })
      return { name: join(directory, 'a'), ensure: 'present', content: 'text', mode: '0644', ...self }
    },
  },
  {
    title: 'a file that is missing',
    state: 'fixable',
    arrange: (directory) => ({ name: join(directory, 'a'), ensure: 'present', content: 'x', mode: '0600', ...self }),
  },
  {
    title: 'a file with other content and mode',
    state: 'fixable',
    arrange(directory) {
      put(directory, { a: 'text', source: 'other' })
      return { name: join(directory, 'a'), ensure: 'present', source: 'source', mode: '0640', ...self }
    },
  },
  {
    title: 'a directory where a file has to be',
    state: 'unfixable',
    arrange(directory) {
      put(directory, { 'a/b': 'kept' })
      return { name: join(directory, 'a'), ensure: 'present', content: 'x', mode: '0600', ...self }
    },
  },
  {
    title: 'a link that has to be gone',
    state: 'fixable',
    arrange(directory) {
      put(directory, { kept: 'kept' })
      symlinkSync('kept', join(directory, 'a'))
      return { name: join(directory, 'a'), ensure: 'absent' }
    },
  },
  {
    title: 'a path that is gone',
    state: 'compliant',
    arrange: (directory) => ({ name: join(directory, 'a'), ensure: 'absent' }),
  },
  {
    title: 'a directory with its parents',
    state: 'fixable',
    arrange: (directory) => ({ name: join(directory, 'a/b'), ensure: 'directory', mode: '0750', ...self }),
  },
]

const exec: readonly ContractScene[] = [
  {
    title: 'a command that makes a file',
    state: 'fixable',
    arrange: (directory) => ({ name: 'touch made', cwd: directory, creates: join(directory, 'made') }),
  },
  {
    title: 'a command that was run',
    state: 'compliant',
    arrange(directory) {
      put(directory, { made: '' })
      return { name: 'touch made', cwd: directory, creates: join(directory, 'made') }
    },
  },
  {
    title: 'a command whose guard asks for it',
    state: 'fixable',
    arrange: (directory) => ({ name: 'touch made', cwd: directory, unless: 'test -e made' }),
  },
  {
    title: 'a command whose guard does not',
    state: 'compliant',
    arrange: (directory) => ({ name: 'touch made', cwd: directory, onlyif: 'test -e other' }),
  },
]

const archive: readonly ContractScene[] = [
  {
    title: 'an archive that is missing',
    state: 'fixable',
    async arrange(directory) {
      const { origin } = await serve((_request, response) => response.end('PK'))
      return { name: join(directory, 'a.zip'), ensure: 'present', url: `${origin}/a.zip`, ...self }
    },
  },
  {
    title: 'an archive that is there',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'a.zip': 'PK' })
      return { name: join(directory, 'a.zip'), ensure: 'present', url: 'http://127.0.0.1:9/a.zip', ...self }
    },
  },
  {
    title: 'an archive that was unpacked',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'a.zip': 'PK', 'out/done': '' })
      return {
        name: join(directory, 'a.zip'),
        ensure: 'present',
        url: 'http://127.0.0.1:9/a.zip',
        checksum: createHash('sha256').update('PK').digest('hex'),
        extract_parent: join(directory, 'out'),
        creates: join(directory, 'out/done'),
        ...self,
      }
    },
  },
  {
    title: 'an archive that has to be gone',
    state: 'fixable',
    arrange(directory) {
      put(directory, { 'a.zip': 'PK' })
      return { name: join(directory, 'a.zip'), ensure: 'absent', url: 'http://127.0.0.1:9/a.zip', ...self }
    },
  },
]

const scaffold: readonly ContractScene[] = [
  {
    title: 'a directory that is missing',
    state: 'fixable',
    arrange(directory) {
      put(directory, { 'source/a': 'text', 'source/b/c': 'more' })
      return { name: join(directory, 'target'), ensure: 'present', source: 'source' }
    },
  },
  {
    title: 'a directory that is there',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'source/a': 'text', 'target/a': 'text' })
      return { name: join(directory, 'target'), ensure: 'present', source: 'source' }
    },
  },
  {
    title: 'a file too many',
    state: 'fixable',
    arrange(directory) {
      put(directory, { 'source/a': 'text', 'target/a': 'other', 'target/b': 'foreign' })
      return { name: join(directory, 'target'), ensure: 'present', source: 'source', purge: true }
    },
  },
]

const roots = new Map<string, AptRoot>()

/** The packages of a scene live in a root of their own. */
function machineOf(directory: string): { readonly apt: AptRoot['options']; readonly dnf: { databaseDirectories: [] } } {
  const root = roots.get(directory)
  if (root === undefined) throw new Error('the scene was not arranged')
  return { apt: root.options, dnf: { databaseDirectories: [] } }
}

const target = (directory: string): Target => createLocalTarget(machineOf(directory))

const remediator = (directory: string): Remediator =>
  createLocalRemediator(NO_JOURNAL, { packages: machineOf(directory) })

function packages(scene: Pick<ContractScene, 'title' | 'state'>, ensure: string, installed = false): ContractScene {
  return {
    ...scene,
    provider: 'apt',
    async arrange(directory) {
      const root = createAptRoot()
      root.publish({ name: 'tool', version: '1.0-1' })
      roots.set(directory, root)
      if (installed) {
        await fixResource(
          packageType,
          { name: 'tool', ensure: 'present' },
          { provider: 'apt', target: target(directory), remediator: remediator(directory) },
        )
      }
      return { name: 'tool', ensure }
    },
    target,
    remediator,
  }
}

const packageScenes = [
  packages({ title: 'a package that is missing', state: 'fixable' }, 'present'),
  packages({ title: 'a package in its latest version', state: 'compliant' }, 'latest', true),
  packages({ title: 'a package that has to go', state: 'fixable' }, 'absent', true),
  packages({ title: 'a package that is not there and must not be', state: 'compliant' }, 'absent'),
]

/** A machine with one unit, which a file in the scene's directory stands for. */
function unitOf(directory: string): { readonly target: Target; readonly remediator: Remediator } {
  const state = join(directory, 'state')
  const status = (): ServiceStatus => ({
    unit: 'web.service',
    runtime: known({
      activeState: readFileSync(state, 'utf8') === 'up' ? 'active' : 'inactive',
      loadState: 'loaded',
      result: '',
    }),
    enablement: known({ state: 'enabled', isInstallable: true }),
  })
  const unitFiles = ['/etc/systemd/system/web.service']
  return {
    target: {
      ...createLocalTarget(),
      services: {
        announce: () => undefined,
        status: async (unit) =>
          unit === 'web.service' ? present(status(), { unit, unitFiles }) : absent({ unit, unitFiles }),
      },
    },
    remediator: {
      ...createLocalRemediator(NO_JOURNAL),
      services: {
        async change(_unit, steps) {
          writeFileSync(state, steps.includes('start') ? 'up' : 'down')
          return { kind: 'done' }
        },
      },
    },
  }
}

function unit(scene: Pick<ContractScene, 'title' | 'state'>, before: string, properties: object): ContractScene {
  return {
    ...scene,
    arrange(directory) {
      put(directory, { state: before })
      return { name: 'web', ...properties }
    },
    target: (directory) => unitOf(directory).target,
    remediator: (directory) => unitOf(directory).remediator,
  }
}

const service: readonly ContractScene[] = [
  unit({ title: 'a service that runs', state: 'compliant' }, 'up', { ensure: 'running', enable: true }),
  unit({ title: 'a service that does not run', state: 'fixable' }, 'down', { ensure: 'running' }),
  unit({ title: 'a service that must not run', state: 'fixable' }, 'up', { ensure: 'stopped' }),
  unit({ title: 'a unit that is missing', state: 'unfixable' }, 'up', { name: 'other', ensure: 'running' }),
  unit({ title: 'a unit that is missing as it has to be', state: 'compliant' }, 'up', {
    name: 'other',
    ensure: 'stopped',
  }),
]

/** What a child manifest says is looked at with the policy, so the type itself has nothing but its definition. */
const apply: readonly ContractScene[] = []

const SCENES: Readonly<Record<string, readonly ContractScene[]>> = {
  file,
  exec,
  archive,
  scaffold,
  package: packageScenes,
  service,
  apply,
}

test('every type that ships has its scenes', () => {
  expect(Object.keys(SCENES).toSorted()).toEqual(resourceTypes.map(({ type }) => type).toSorted())
})

describe.each(resourceTypes.map((type) => [type.type, type] as const))('%s', (name, type) => {
  const skipped = name === 'package' ? (needsApt ?? needsRoot) : undefined
  for (const { name: title, run } of contractTests(type, { scenes: SCENES[name] ?? [] })) {
    test.skipIf(skipped !== undefined)(title, run)
  }
})
