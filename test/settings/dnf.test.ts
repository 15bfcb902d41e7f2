import { put } from '../support/contract.ts'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dnf } from '../../src/settings/dnf.ts'
import { valueOf } from '../../src/settings/effective.ts'
import { hostile } from '../support/hostile-files.ts'
import { expectAgreement } from '../support/proof.ts'
import { PATIENCE } from '../support/soak.ts'
import { effectiveOn, type Files, machines, named } from '../support/surface-oracle.ts'
import { temporaryDirectory } from '../support/temporary.ts'

// The python of the system, which has the module of dnf.
const PYTHON = '/usr/bin/python3'

const KEYS = ['gpgcheck', 'repo_gpgcheck', 'localpkg_gpgcheck', 'best', 'sslverify'] as const

const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '', '', ' ', '\t'),
        fc.constantFrom(...KEYS, 'gpgcheck', 'gpgcheck', 'GPGCHECK'),
        fc.constantFrom('=', '=', ' = ', ': ', ''),
        fc.constantFrom(
          '1',
          '0',
          'yes',
          'no',
          'True',
          'off',
          'on',
          'enabled',
          'never',
          '2',
          '',
          '1 # x',
          '"1"',
          '1 ; x',
        ),
        fc.constantFrom('', '', '', ' ', '\r', '\n  0', '\n\t# c', '\n 1'),
      )
      .map((parts) => parts.join('')),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('# x', '; x', '', ' # x', '[main]', '[other]', ' [main]', '[main] # x', 'junk'),
  },
)
const lines = fc.array(line, { maxLength: 4 }).map((each) => each.join('\n'))

const files: fc.Arbitrary<Files> = fc.record({
  '/etc/dnf/dnf.conf': lines.map((text) => `[main]\n${text}\n`),
  '/etc/yum.repos.d/a.repo': lines.map((text) => `[a]\nname=a\nbaseurl=http://localhost/\n${text}\n`),
})

interface Said {
  readonly main: Readonly<Record<string, string>>
  readonly repositories: Readonly<Record<string, Readonly<Record<string, string>>>>
}

function ask(all: readonly Files[]): readonly (Said | null)[] {
  const directory = temporaryDirectory()
  const roots = all.map((each, index) => {
    const root = join(directory, String(index))
    put(root, each)
    return root
  })
  const { stdout, stderr, status } = spawnSync(PYTHON, ['test/support/ask-dnf.py'], {
    input: roots.map((root) => JSON.stringify(root)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    // dnf opens the database of rpm for each machine, and waits for whoever holds that of the user.
    env: { ...process.env, HOME: directory },
  })
  expect(status, stderr).toBe(0)
  return stdout
    .trim()
    .split('\n')
    .map((answer) => JSON.parse(answer) as Said | null)
}

const needs = spawnSync(PYTHON, ['-c', 'import dnf']).status === 0 ? undefined : 'needs dnf'

function switched(value: string | undefined): string | undefined {
  const { order } = dnf.rulesOf({ section: 'main', key: 'gpgcheck' })
  return ['0', '1'].find((each) => value !== undefined && order.equals(value, each)) ?? value
}

test.skipIf(needs)(named('dnf has the switches that driftgate reads', needs), { timeout: PATIENCE }, () => {
  const all = machines(hostile(files))
  const said = ask(all)
  const wrong = all.flatMap((each, index): unknown[] =>
    KEYS.flatMap((key): unknown[] => {
      const effective = effectiveOn(dnf, each, key)
      if (typeof effective === 'string') return []
      const truth = said[index]
      if (truth === null || truth === undefined) return [{ files: each, key, effective, truth }]
      const rules = dnf.rulesOf({ section: 'main', key })
      const main = switched(valueOf(effective[0], rules))
      const differing = effective.slice(1).flatMap((own) => {
        const id = own.scope?.replace('the repository ', '') ?? ''
        const real = truth.repositories[id]?.[key]
        const ours = switched(valueOf(own, rules))
        return real === undefined || real === ours ? [] : [{ id, ours, real }]
      })
      const unseen = Object.entries(truth.repositories).filter(
        ([id, own]) =>
          own[key] !== undefined &&
          own[key] !== truth.main[key] &&
          !effective.some(({ scope }) => scope === `the repository ${id}`),
      )
      return main === truth.main[key] && differing.length + unseen.length === 0
        ? []
        : [{ files: each, key, main, truth, differing, unseen }]
    }),
  )
  expectAgreement({ reader: 'dnf.conf', program: 'dnf', texts: all.length }, wrong)
})

test.each([
  ['a word that is no boolean', '[main]\ngpgcheck=1\ngpgcheck=enabled\n', '', undefined],
  ['a line that continues another', '[main]\nbest=1\n gpgcheck=1\n', '', undefined],
  ['a section main of a repository file', '[main]\n', '[main]\ngpgcheck=1\n', undefined],
  ['a comment behind the header', '[main] # ours\ngpgcheck="1"\n', '', '1'],
])('%s counts as dnf takes it', (_name, main, repository, value) => {
  const effective = effectiveOn(dnf, { '/etc/dnf/dnf.conf': main, '/etc/yum.repos.d/a.repo': repository }, 'gpgcheck')
  expect(typeof effective === 'string' ? effective : effective[0].winners.at(-1)?.value).toBe(value)
})

test('a repository is that of the first file, and an invalid switch of it is that of the section main', () => {
  const files = {
    '/etc/dnf/dnf.conf': '[main]\ngpgcheck=1\n',
    '/etc/yum.repos.d/a.repo': '[a]\ngpgcheck=1\n[b]\ngpgcheck=never\n',
    '/etc/yum.repos.d/b.repo': '[a]\ngpgcheck=0\n[c]\ngpgcheck=0\n',
  }
  const effective = effectiveOn(dnf, files, 'gpgcheck')
  if (typeof effective === 'string') throw new Error(effective)
  expect(effective.map(({ scope, winners }) => [scope, winners.at(-1)?.value])).toEqual([
    [undefined, '1'],
    ['the repository a', '1'],
    ['the repository c', '0'],
  ])
})
