import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compiledText,
  compileRules,
  type LeadingSpace,
  linesOf,
  type RulesFile,
} from '../../../../src/subjects/auditd/rules/augenrules.ts'
import { compareVersionNames } from '../../../../src/subjects/auditd/rules/file-order.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'

const AUGENRULES = ['/usr/sbin/augenrules', '/sbin/augenrules'].find((path) => existsSync(path))

const LINE = fc.constantFrom(
  '-D',
  '-D ',
  '-D -k key',
  '-b 8192',
  '-b 64',
  '-f 1',
  '-f 2',
  '-e 1',
  '-e 2',
  '-c',
  '-i',
  '',
  '# a comment',
  '## -e 2',
  '-w /etc/passwd -p wa',
  '-w /etc/shadow -p wa -k identity',
  '-a always,exit -F arch=b64 -S chmod',
  '--backlog_wait_time 60000',
  '-r 100',
  'no rule',
)
const TEXT = fc.tuple(fc.array(LINE, { maxLength: 6 }), fc.boolean()).map(([lines, endsLine]) => {
  return lines.join('\n') + (endsLine && lines.length > 0 ? '\n' : '')
})
const NAME = fc
  .array(fc.constantFrom('10', '9', '009', '60', 'a', 'B', 'audit', '-', '_', '~', '.', '.d', '.rules', '+', 'ü'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join('').replace(/^\.+/, ''))
  .filter((name) => name !== '' && !name.startsWith('-'))
const TREE = fc.uniqueArray(fc.tuple(NAME, TEXT), { maxLength: 5, selector: ([name]) => name })

const HOSTILE = hostile(TREE.map((tree) => Object.fromEntries(tree))).map((files) => Object.entries(files))

/** The part of the script that joins the files, made a function of a directory: everything else is about the file that it replaces. */
function joining(script: string): string {
  const part = /^echo "## This file[^]*?>> \$\{TmpRules\}\n/m.exec(script.slice(script.indexOf('umask')))?.[0] ?? ''
  const body = script.slice(script.indexOf('umask')).match(/^for rules in [^]*?^\}' >> \$\{TmpRules\}$/m)?.[0] ?? ''
  return `join() {\nSourceRulesDir=/etc/audit/rules.d\n: > "$TmpRules"\n${part}SourceRulesDir=$1\n${body}\n}\n`
}

/** What `\s` is for the awk of this machine. */
function leadingOfAwk(): LeadingSpace {
  const found = execFileSync('sh', ['-c', String.raw`echo ' x' | awk '{ print match($0, "^\s*x") }'`], {
    encoding: 'utf8',
  })
  return found.trim() === '1' ? 'spaces' : 'letters'
}

function withTrees(trees: readonly (readonly (readonly [string, string])[])[], ask: (root: string) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'driftgate-augenrules-'))
  try {
    for (const [index, tree] of trees.entries()) {
      mkdirSync(join(root, `${index}`))
      for (const [name, text] of tree) writeFileSync(join(root, `${index}`, name), text)
    }
    ask(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

function sourcesOf(tree: readonly (readonly [string, string])[]): readonly RulesFile[] {
  return tree
    .filter(([name]) => name.endsWith('.rules'))
    .toSorted(([left], [right]) => compareVersionNames(left, right))
    .map(([path, text]) => ({ path, text }))
}

describe.skipIf(AUGENRULES === undefined ? 'needs augenrules' : undefined)(
  `augenrules${AUGENRULES === undefined ? ': not installed (auditd)' : ''}`,
  () => {
    test('makes the same of every tree', { timeout: PATIENCE }, () => {
      const trees = sample(HOSTILE, { usual: 200, soak: 10_000 }, 1).map((tree) =>
        tree.map(([name, text]) => [`${name}.rules`, text] as const),
      )
      const script = joining(readFileSync(AUGENRULES ?? '', 'utf8'))
      withTrees(trees, (root) => {
        const loop = `for tree in "$1"/*; do TmpRules=$tree.made; join "$tree"; done`
        execFileSync('sh', ['-c', `${script}${loop}`, 'sh', root], { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } })
        const leading = leadingOfAwk()
        const made = trees.map((_, index) => readFileSync(join(root, `${index}.made`), 'utf8'))
        const wrong = trees.filter((tree, at) => compiledText(compileRules(sourcesOf(tree), leading)) !== made[at])
        expectAgreement({ reader: 'rules.d of auditd', program: 'augenrules', texts: trees.length }, wrong)
      })
    })
  },
)

test('ls -v has the same order of names', () => {
  const names = sample(
    fc.uniqueArray(
      NAME.map((name) => `${name}.rules`),
      { minLength: 2, maxLength: 12 },
    ),
    { usual: 200, soak: 5_000 },
    2,
  )
  withTrees(
    names.map((list) => list.map((name) => [name, ''] as const)),
    (root) => {
      const loop = 'i=0; while [ -d "$1/$i" ]; do ls -1v "$1/$i"; echo; i=$((i+1)); done'
      const listed = execFileSync('sh', ['-c', loop, 'sh', root], {
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      })
      const expected = listed.split('\n\n').slice(0, -1)
      const wrong = names.filter((list, at) => list.toSorted(compareVersionNames).join('\n') !== expected[at])
      expectAgreement({ reader: 'order of rules.d', program: 'ls', texts: names.length }, wrong)
    },
  )
})

test('numbers count as numbers, however many stand before them', () => {
  const names = ['1-a10.rules', '1-a9.rules', '10-a1.rules', '2-a.rules']
  expect(names.toSorted(compareVersionNames)).toEqual(['1-a9.rules', '1-a10.rules', '2-a.rules', '10-a1.rules'])
})

const file = (path: string, text: string): RulesFile => ({ path, text })

test('a file that does not end its last line is joined with the next one', () => {
  const lines = compileRules([file('a', '-w /a'), file('b', '-w /b\n-w /c\n')], 'spaces')
  expect(lines.filter(({ text }) => text !== '')).toEqual([
    { text: '-w /a-w /b', at: { file: 'a', line: 1 } },
    { text: '-w /c', at: { file: 'b', line: 2 } },
  ])
})

test.each([
  ['spaces', ['  -e 2', '-w /a', '-e 1'], ['-w /a', '-e 1']],
  ['letters', ['  -e 2', '-w /a', '-e 1'], ['  -e 2', '-w /a', '-e 1']],
  ['spaces', ['ss-D', 's# x'], ['ss-D', 's# x']],
  ['letters', ['ss-D', 's# x'], ['ss-D']],
] as const)('an awk that takes \\s for %s compiles %j', (leading, lines, expected) => {
  const made = compileRules([file('a', lines.join('\n'))], leading)
  expect(made.map(({ text }) => text).filter((text) => text !== '')).toEqual(expected)
})

test('the lines of a file have their numbers', () => {
  expect(linesOf(file('a', '-D\n-e 1')).map(({ at }) => at?.line)).toEqual([1, 2])
})
