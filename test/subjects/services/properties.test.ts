import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { service, serviceNameProblem } from '../../../src/subjects/services/index.ts'
import { unitKind, unitName } from '../../../src/host/systemd/unit-name.ts'

test.each([
  'ssh',
  'ssh.service',
  'php8.2-fpm',
  'getty@tty1',
  'getty@tty1.service',
  'apt-daily.timer',
  'a+b',
  'x~y:z_1',
])('%s can be a service', (name) => {
  expect(serviceNameProblem(name)).toBeUndefined()
})

test.each([
  ['ssh; reboot', 'service name contains dangerous characters: "ssh; reboot"'],
  ['*', 'service name contains dangerous characters: "*"'],
  ['a\nb', String.raw`service name contains dangerous characters: "a\nb"`],
  ['a b', 'service name contains invalid characters: "a b" (allowed: alphanumeric, ._+:~@-)'],
  ['../ssh', 'service name contains invalid characters: "../ssh" (allowed: alphanumeric, ._+:~@-)'],
  ['ünit', 'service name contains invalid characters: "ünit" (allowed: alphanumeric, ._+:~@-)'],
  ['--version', 'service name "--version" must not start with a dash'],
  ['@tty1', '"@tty1" is not a valid unit name'],
  ['getty@', '"getty@" is a template and cannot run; name an instance of it, such as "getty@tty1"'],
])('%j cannot', (name, problem) => {
  expect(serviceNameProblem(name)).toBe(problem)
})

test('every valid name is the name of one unit, and never an option or a pattern', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
      if (serviceNameProblem(name) !== undefined) return
      expect(['plain', 'instance']).toContain(unitKind(unitName(name)))
      expect(unitName(name)).not.toMatch(/^-|[*?[\]/\s]/)
    }),
  )
})

test('nothing is managed that is not said', () => {
  expect(decodeProperties(service, { name: 'ssh' })).toEqual({ ok: true, values: { name: 'ssh' } })
})

test.each([{ name: 'ssh', ensure: 'started' }, { name: 'ssh', enable: 'maybe' }, { name: '' }, { name: 'a|b' }])(
  '%j is refused',
  (values) => {
    expect(decodeProperties(service, values)).toMatchObject({ ok: false })
  },
)

// Restarting is an action: a service cannot be in that state, so every look would find it otherwise.
test.each(['restarted', 'reloaded'])('%s is no state of a service', (ensure) => {
  expect(decodeProperties(service, { name: 'ssh', ensure }).ok).toBe(false)
})

test.each([
  [{ one_of: ['nftables', 'ufw'] }, []],
  [{ one_of: ['ufw', 'ufw'] }, ['one_of names "ufw" twice']],
  [{ none_of: ['ufw', 'a b'] }, [expect.stringContaining('"a b"')]],
  [{ none_of: [] }, [expect.stringContaining('none_of')]],
  [
    { one_of: ['ufw'], none_of: ['nftables'] },
    ['only one of "ensure", "one_of", "exactly_one_of", or "none_of" can be set'],
  ],
  [
    { ensure: 'running', one_of: ['ufw'] },
    ['only one of "ensure", "one_of", "exactly_one_of", or "none_of" can be set'],
  ],
  [
    { enable: true, one_of: ['ufw'] },
    ['a group of services cannot have "enable" or "masked": its list determines which services start at boot'],
  ],
])('of a group, which any title may have, %j has the problems %j', (values, problems) => {
  const decoded = decodeProperties(service, { name: 'one firewall', ...values })
  expect(decoded.ok ? [] : decoded.violations.map(({ message }) => message)).toEqual(problems)
})
