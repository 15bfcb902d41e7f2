import { expect, test } from 'vitest'
import { instanceLike, templateOf, unitKind, unitName } from '../../../src/host/systemd/unit-name.ts'

// What `systemd-escape --mangle` of systemd 252 makes of them.
test.each([
  ['ssh', 'ssh.service'],
  ['ssh.service', 'ssh.service'],
  ['apt-daily.timer', 'apt-daily.timer'],
  ['php8.2-fpm', 'php8.2-fpm.service'],
  ['getty@tty1', 'getty@tty1.service'],
  ['getty@', 'getty@.service'],
  ['a+b', String.raw`a\x2bb.service`],
  ['a~b.socket', String.raw`a\x7eb.socket`],
])('the name %s means the unit %s', (name, unit) => {
  expect(unitName(name)).toBe(unit)
})

test.each([
  ['ssh.service', 'plain'],
  ['getty@tty1.service', 'instance'],
  ['getty@.service', 'template'],
  ['user@a@b.service', 'instance'],
  ['ssh', undefined],
  ['@tty1.service', undefined],
  ['.service', undefined],
  ['ssh.conf', undefined],
  [`${'a'.repeat(247)}.service`, 'plain'],
  [`${'a'.repeat(248)}.service`, undefined],
])('%s is %s', (name, kind) => {
  expect(unitKind(name)).toBe(kind)
})

test('an instance has a template, and a template has instances', () => {
  expect(templateOf('getty@tty1.service')).toBe('getty@.service')
  expect(templateOf('getty@.service')).toBeUndefined()
  expect(templateOf('ssh.service')).toBeUndefined()
  expect(instanceLike('autovt@.service', 'getty@tty1.service')).toBe('autovt@tty1.service')
})
