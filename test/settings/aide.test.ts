import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordFiles } from '../../src/settings/files.ts'
import { aide } from '../../src/settings/aide.ts'
import { cannotAsk, effectiveOn, type Files, named, valueOn } from '../support/surface-oracle.ts'
import { machineOf } from '../support/setting-machine.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { expectAgreement } from '../support/proof.ts'
import { sample } from '../support/soak.ts'

const TOOL = '/usr/sbin/auditctl'
const MAIN = '/etc/aide/aide.conf'

const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '=', '!'),
    fc.constantFrom(
      '/',
      '/usr',
      '/sbin/auditctl',
      '/usr/sbin',
      '/usr/sbin/aud',
      '/usr/sbin/auditctl',
      '/usr/sbin/auditctl$',
      '/usr/[s]bin/auditctl',
      '/usr/sbin/[a-z]+$',
      '/usr/@@{X}',
      '/etc',
    ),
    fc.constantFrom('', '', ' f', ' d', ' d,f', ' 0'),
    fc.constantFrom('p', 'p+s', 'G', 'H', 'G-p+n', 'sha512+p', 'L+X', 'R'),
  )
  .map(([kind, path, types, attributes]) =>
    kind === '!' ? `!${path}${types}` : `${kind}${path}${types} ${attributes}`,
  )

const HEAD = 'database_in=file:/nowhere\n@@define X sbin\nG = p+i\nH = G+u-i\n'

const needs = cannotAsk(['aide'])

test.skipIf(needs)(named('the rule that AIDE finds for a path', needs), () => {
  const directory = temporaryDirectory()
  const texts = sample(fc.array(rule, { minLength: 1, maxLength: 5 }), { usual: 120, soak: 3000 })
  const differences: string[] = []
  for (const rules of texts) {
    const text = `${HEAD}${rules.join('\n')}\n`
    const path = join(directory, 'aide.conf')
    writeFileSync(path, text)
    const { stdout } = spawnSync('aide', ['-c', path, '-p', `f:${TOOL}`], { encoding: 'utf8' })
    const theirs = /\((?:none|[a-z,]+)\) ([a-z0-9+]+)'|rule: '\S+ \S+ ([a-z0-9+]+)'/.exec(stdout)
    const watched = stdout.startsWith('[X]') ? (theirs?.[1] ?? theirs?.[2] ?? '') : ''
    const ours = valueOn(aide, { [MAIN]: text }, TOOL) ?? ''
    const sorted = (attributes: string): string => attributes.split('+').toSorted().join('+')
    if (sorted(ours) !== sorted(watched)) differences.push(`${rules.join('; ')}: ${stdout.trim()}, not ${ours}`)
  }
  expectAgreement({ reader: 'aide.conf', program: 'aide', texts: texts.length }, differences)
})

test.skipIf(needs)(named('AIDE accepts the rules that a fix writes', needs), () => {
  const directory = temporaryDirectory()
  const { format } = aide.writes(recordFiles(machineOf({ [MAIN]: HEAD })).files, {
    section: '',
    key: TOOL,
  })
  const edited = format.set(HEAD, { section: '', key: TOOL, isSame: () => false, which: 'last' }, ['p+sha512'])
  const path = join(directory, 'aide.conf')
  writeFileSync(path, edited.kind === 'edited' ? edited.text : '')
  expect(execFileSync('aide', ['-c', path, '-p', `f:${TOOL}`], { encoding: 'utf8' })).toContain('[X]')
})

test('a rule for a kind of file system is about no other one, as AIDE 0.19 has them', () => {
  expect(valueOn(aide, { [MAIN]: '/usr =vfat p+s\n/ 0 p\n' }, TOOL)).toBe('p')
  expect(valueOn(aide, { [MAIN]: '!/usr =ext4\n/ 0 p\n' }, TOOL)).toBe('')
})

test('files are included by name; the output of an included script makes a path without a rule unknown', () => {
  const files: Files = {
    [MAIN]: '@@x_include /etc/aide/aide.conf.d ^[a-zA-Z0-9_-]+$\n',
    '/etc/aide/aide.conf.d/10_script': '#!/bin/sh\necho /usr R\n',
    '/etc/aide/aide.conf.d/20_rules.dpkg-old': '/usr/sbin/auditctl n\n',
  }
  expect(effectiveOn(aide, files, TOOL)).toContain('the output of /etc/aide/aide.conf.d/10_script')
  expect(valueOn(aide, { ...files, '/etc/aide/aide.conf.d/30_own': `${TOOL} p+s\n` }, TOOL)).toBe('p+s')
})

const REPORTS = [
  'report_ignore_changed_attrs=sha512\n',
  'report_ignore_changed_attrs=sha512\nreport_ignore_changed_attrs=m\n',
  'X = sha512+m\nreport_ignore_changed_attrs = X\n',
  'report_ignore_changed_attrs=sha512\nreport_url=stdout\n',
  'report_url=stdout\nreport_ignore_changed_attrs=sha512\n',
  'report_ignore_changed_attrs=sha512\nreport_url=file:/dev/null\nreport_ignore_changed_attrs=m\nreport_url=stdout\n',
]

test.skipIf(needs)(named('changes that AIDE leaves out of its reports', needs), () => {
  const directory = temporaryDirectory()
  const [file, path] = [join(directory, 'f'), join(directory, 'aide.conf')]
  const wrong = REPORTS.filter((reports) => {
    const head = `database_in=file:${directory}/db\ndatabase_out=file:${directory}/db\n`
    const rules = `${reports}${file} p+sha512\n`
    writeFileSync(path, `${head}${rules}`)
    writeFileSync(file, 'before')
    spawnSync('aide', ['-c', path, '--init'])
    writeFileSync(file, 'after')
    const { stdout } = spawnSync('aide', ['-c', path, '--check'], { encoding: 'utf8' })
    const isReported = /^ SHA512 /m.test(stdout.replace(/^.*attributes of the[^]*$/m, ''))
    return isReported !== valueOn(aide, { [MAIN]: rules }, file)?.includes('sha512')
  })
  expect(wrong).toEqual([])
})
