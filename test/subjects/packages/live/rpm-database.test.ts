import { expect, test } from 'vitest'
import { parseRpmPackages } from '../../../../src/subjects/packages/live/rpm-database.ts'
import { everyVersion } from '../../../support/captured.ts'

test.each(everyVersion('rpm', 'list'))('packages of a database: rpm %s', (_version, { stdout }) => {
  const packages = parseRpmPackages(stdout, 'x86_64')
  if (packages.kind === 'unknown') throw new Error(packages.detail)
  const found = [...packages.value].map(([name, instances]) => [
    name,
    instances.map(({ id, version }) => `${id} ${version}`),
  ])
  expect(Object.fromEntries(found)).toEqual({
    bash: ['bash.x86_64 5.1.8-9.el9'],
    // Several may be installed side by side, an epoch is written, and no architecture is one, too.
    kernel: ['kernel.x86_64 5.13.0-362.el9', 'kernel.x86_64 5.14.0-427.el9'],
    dnsmasq: ['dnsmasq.x86_64 2:2.85-16.el9'],
    tzdata: ['tzdata.noarch 2024a-1.el9'],
  })
})

test.each(everyVersion('rpm', 'list'))('an answer that is cut proves nothing: rpm %s', (_version, { stdout }) => {
  for (let end = 0; end < stdout.length; end++) {
    const packages = parseRpmPackages(stdout.slice(0, end), 'x86_64')
    if (stdout[end - 1] !== '\n') expect(packages).toMatchObject({ kind: 'unknown' })
  }
})

test.each(everyVersion('rpm', 'missing'))(
  'the message of rpm for a missing package is no list: rpm %s',
  (_version, { stdout }) => {
    expect(parseRpmPackages(stdout, 'x86_64')).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  },
)
