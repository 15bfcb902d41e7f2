import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePamEnvironment } from '../../../src/subjects/pam/environment-file.ts'
import { askLibpam, MODULES } from '../../support/libpam.ts'
import { needsPrograms } from '../../support/programs.ts'
import { expectAgreement } from '../../support/proof.ts'
import { sample } from '../../support/soak.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const cannotAsk =
  needsPrograms('python3') ?? (existsSync(join(MODULES, 'pam_env.so')) ? undefined : 'needs the modules of Linux-PAM')

const BLANKS = ['', '', '', ' ', '\t', '\v', '\r', '\u{a0}']

const line = fc
  .tuple(
    fc.constantFrom(...BLANKS, '# '),
    fc.constantFrom('', '', '', 'export ', 'export  ', 'export\t', 'EXPORT '),
    fc.constantFrom('VA', 'VA', 'VB', 'V_1', 'v', 'PATH', 'V.x', '1V', ''),
    fc.constantFrom('=', '=', '=', '= ', ' =', '', '=='),
    fc.array(
      fc.constantFrom(
        'a',
        'b c',
        '"',
        "'",
        '\\',
        '\\\\',
        '#',
        '=',
        ' ',
        '\t',
        '\v',
        '\f',
        '\u{a0}',
        '$HOME',
        '"q"',
        '/bin:/x',
      ),
      { maxLength: 4 },
    ),
    fc.constantFrom('', '', '', ' ', '\t', '\\', ' \\', '\\ ', '\\\r', ' # c', '#c', '"', "'", '\r'),
  )
  .map(([lead, word, name, between, parts, end]) => [lead, word, name, between, ...parts, end].join(''))

const text = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.constantFrom('\n', '\n', '', '\n\n'))
  .map(([lines, end]) => lines.join('\n') + end)

test.skipIf(cannotAsk)('generated environment files set the variables that pam_env sets', () => {
  const texts = sample(text, { usual: 500, soak: 5_000 }, 1)
  const [files, services] = ['files', 'services'].map((name) => join(temporaryDirectory(), name)) as [string, string]
  for (const directory of [files, services]) mkdirSync(directory, { recursive: true })
  const questions = texts.map((each, index) => {
    const file = join(files, String(index))
    writeFileSync(file, each)
    const module = join(MODULES, 'pam_env.so')
    writeFileSync(
      join(services, `s${index}`),
      `session required ${module} readenv=1 conffile=/dev/null envfile=${file}\n`,
    )
    return [services, `s${index}`, 'environment']
  })
  const differences = askLibpam(questions).flatMap((answer, index) => {
    const read = parsePamEnvironment(texts[index] ?? '', 'environment')
    const ours = read.kind === 'known' ? [...read.value].map(([name, { value }]) => `${name}=${value}`) : [read.detail]
    const pairs = ours.toSorted().join(',')
    const theirs = answer.split(',').toSorted().join(',')
    return pairs === theirs ? [] : [{ text: texts[index], theirs, ours: pairs }]
  })
  expectAgreement({ reader: 'environment', program: join(MODULES, 'pam_env.so'), texts: texts.length }, differences)
})

test('a line that pam_env refuses makes the file unknown', () => {
  expect(parsePamEnvironment(`A=${'x'.repeat(1_100)}\n`, '/etc/environment')).toMatchObject({ kind: 'unknown' })
})
