import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { describeSystem } from '../../../src/host/live/local-target.ts'
import { parseOsRelease } from '../../../src/host/os-release.ts'

// The assignments shown in os-release(5), and the quoting it allows.
test.each([
  ['ID=debian', 'ID', 'debian'],
  ['VERSION_ID="12"', 'VERSION_ID', '12'],
  ["PRETTY_NAME='Fedora Linux 32'", 'PRETTY_NAME', 'Fedora Linux 32'],
  ['NAME="a \\"b\\" \\$c \\\\d"', 'NAME', 'a "b" $c \\d'],
  ['EMPTY=', 'EMPTY', ''],
  ['QUOTE="', 'QUOTE', '"'],
])('%s', (text, name, value) => {
  expect(parseOsRelease(`# comment\n\n${text}\nnonsense\n`).get(name)).toBe(value)
})

test('this machine has a name and a platform', () => {
  expect(describeSystem()).toMatchObject({ platform: process.platform, hostname: hostname() })
})
