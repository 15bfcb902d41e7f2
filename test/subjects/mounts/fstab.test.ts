import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseFstab, unclearLine } from '../../../src/subjects/mounts/fstab.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { PATIENCE } from '../../support/soak.ts'
import { cannotAsk, type Files, machines, named, truths } from '../../support/surface-oracle.ts'

const line = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom('tmpfs', 'UUID=a', '/dev/sda1', 'LABEL="a b"', 'none'),
        fc.constantFrom('/tmp', '/srv/a\\040b', '/var/', '//home', '/', 'none'),
        fc.constantFrom('tmpfs', 'ext4', 'swap', 'auto'),
        fc.constantFrom('defaults', 'nodev,nosuid', 'ro,context="a:s0,c1"', 'rw'),
        fc.constantFrom(' 0 0', ' 0', '', ' 0 2 # x', '  # x'),
        fc.constantFrom(' ', '\t', ' \t '),
      )
      .map(([source, point, type, options, end, gap]) => [source, point, type, options].join(gap) + end),
  },
  fc.constantFrom('# a comment', '', '  # another', 'tmpfs /opt', 'tmpfs /opt tmpfs'),
)
const files: fc.Arbitrary<Files> = fc
  .array(line, { maxLength: 5 })
  .map((lines) => ({ '/fstab': lines.map((each) => `${each}\n`).join('') }))

const needs = cannotAsk(['findmnt'])

interface Mount {
  readonly target: string
  readonly fstype: string
  readonly options: string
}

test.skipIf(needs)(named('the entries of fstab are those of findmnt', needs), { timeout: PATIENCE }, () => {
  const all = machines(hostile(files))
  const each =
    'findmnt --tab-file $count/fstab --json --list --output TARGET,FSTYPE,OPTIONS > $count/truth 2> $count/complaint || :; [ ! -s $count/complaint ] || echo refused > $count/truth'
  const wrong = truths(all, { each }).flatMap((said, index): unknown[] => {
    const text = all[index]?.['/fstab'] ?? ''
    const ours = parseFstab(text).map(({ point, fstype, options }) => [point, fstype, options].join(' '))
    if (said === 'refused\n' || unclearLine(text) !== undefined) return []
    const listed = said.trim() === '' ? [] : (JSON.parse(said).filesystems as readonly Mount[])
    const theirs = listed
      .filter(({ target, fstype }) => target.startsWith('/') && fstype !== 'swap')
      .map(({ target, fstype, options }) =>
        [target.replaceAll(/\/+/g, '/').replace(/(?<=.)\/$/, ''), fstype, options].join(' '),
      )
    return ours.join('\n') === theirs.join('\n') ? [] : [{ text, ours, theirs }]
  })
  expectAgreement({ reader: 'fstab', program: 'findmnt', texts: all.length }, wrong)
})

// Of the first, findmnt shows nosuid and systemd-fstab-generator of 252 "nosuid\r", of the others both other texts, too.
test.each([
  ['tmpfs /tmp tmpfs nodev,nosuid\r\n', '1: systemd and mount read the backslash or carriage return differently'],
  [
    '# a\r\ntmpfs /tmp tmpfs nodev\\054nosuid 0 0\n',
    '2: systemd and mount read the backslash or carriage return differently',
  ],
  ['tmpfs /tmp tmpfs nodev\\\n', '1: systemd and mount read the backslash or carriage return differently'],
  ['tmpfs /tmp tmpfs nodev\0 0 0\n', '1: a NUL byte ends the line for some programs'],
  ['tmpfs /srv/a\\040b\\134c tmpfs nodev 0 0 \n', undefined],
])('of %j it is unclear: %s', (text, expected) => {
  expect(unclearLine(text)).toBe(expected)
})
