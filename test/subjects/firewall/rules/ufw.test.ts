import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { known } from '../../../../src/model/observation.ts'
import { parseIptablesSave } from '../../../../src/subjects/firewall/rules/iptables-save.ts'
import { isUfwOn } from '../../../../src/settings/ufw.ts'
import { ufwRules } from '../../../../src/subjects/firewall/rules/ufw-files.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

test('a command of iptables-restore(8) that takes a rule out is not understood', () => {
  expect(parseIptablesSave('*filter\n:INPUT DROP\n-D INPUT -j ACCEPT\nCOMMIT\n', 'ip')).toBeUndefined()
})

test('settings that ufw does not take are not understood', () => {
  const files = { before: '', after: '', user: '' }
  const settings = [{ file: '/etc/default/ufw', text: 'DEFAULT_INPUT_POLICY="$(policy)"' }]
  expect(ufwRules({ ...files, settings }, 'ip')).toBeUndefined()
})

/** Prints whether the init script of ufw loads rules. @see /lib/ufw/ufw-init-functions, ufw_start */
const IS_ON = `. "$1/usual"; . "$1/own"; [ "$ENABLED" = yes ] || [ "$ENABLED" = YES ] && echo true || echo false`

test.each([
  ['', 'ENABLED=yes\n'],
  ['', 'ENABLED=yes\nENABLED=no\n'],
  ['', 'ENABLED=Yes\n'],
  ['', ' ENABLED="YES" # on\n'],
  ['', "export ENABLED='yes'\n"],
  ['ENABLED=yes\n', '# ENABLED=no\n'],
  ['ENABLED=yes\n', 'ENABLED=no\n'],
  ['ON=yes\n', 'ENABLED=$ON\n'],
])('whether ufw loads its rules with %j and %j is what a shell makes of them', (usual, own) => {
  const directory = temporaryDirectory()
  const texts = { '/etc/default/ufw': `IPV6=yes\n${usual}`, '/etc/ufw/ufw.conf': own }
  writeFileSync(join(directory, 'usual'), texts['/etc/default/ufw'])
  writeFileSync(join(directory, 'own'), own)
  const { stdout } = spawnSync('sh', ['-c', IS_ON, 'sh', directory], { encoding: 'utf8' })
  const read = (path: string) => known(path === '/etc/default/ufw' || path === '/etc/ufw/ufw.conf' ? texts[path] : null)
  expect(isUfwOn(read)).toEqual(known(stdout === 'true\n'))
})

test('whether ufw loads its rules is unknown where a shell would have to be run, and it loads none without its files', () => {
  const of = (own: string | null) => (path: string) => known(path === '/etc/ufw/ufw.conf' ? own : 'IPV6=yes\n')
  expect(isUfwOn(of('ENABLED=yes\n. /etc/ufw/site.conf\n'))).toMatchObject({ kind: 'unknown' })
  expect(isUfwOn(of('ENABLED=$(cat /etc/ufw/on)\n'))).toMatchObject({ kind: 'unknown' })
  expect(isUfwOn(of(null))).toEqual(known(false))
})
