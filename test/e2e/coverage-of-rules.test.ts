import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryDirectory } from '../support/temporary.ts'

const RULES = {
  profiles: {
    'debian12/example': {
      title: 'An example',
      rules: {
        shadow_mode: rule('file', { path: '/etc/shadow', mode_max: '0640' }, ['7.1.5']),
        shadow_owner: rule('file', { path: '/etc/shadow', owner: '0' }, ['7.1.5']),
        shadow_stricter: rule('file', { path: '/etc/shadow', mode_max: '0000' }, ['7.1.6']),
        forwarding: rule('kernel-param', { name: 'net.ipv4.ip_forward', value: '0' }, ['3.3.1']),
        telepathy: rule('telepathy', { mind: 'blank' }, ['3.3.1']),
      },
    },
  },
}

function rule(kind: string, params: object, cis: readonly string[]): object {
  return { title: `a rule of ${kind}`, kind, params, severity: 'medium', cis }
}

function run(rules: unknown): { readonly code: number | null; readonly text: string; readonly policy: unknown } {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'rules.json'), JSON.stringify(rules))
  const args = ['scripts/coverage-of-rules.mjs', join(directory, 'rules.json'), '--missing', '--write', directory]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return {
    code: status,
    text: stdout + stderr,
    policy: parse(readFileSync(join(directory, 'debian12-example.yaml'), 'utf8')),
  }
}

test('rules become resources, and a recommendation counts once all its rules do', () => {
  const { code, text, policy } = run(RULES)
  expect(code).toBe(0)
  expect(text).toMatch(/debian12\/example +rules 4\/5 80\.0 % +recommendations 2\/3 66\.7 %/)
  expect(text).toContain('telepathy telepathy (debian12/example)')
  expect(policy).toMatchObject({
    ccm: {
      resources: [
        { file: [{ '/etc/shadow': { owner: '0', mode: { at_most: '0640' }, alias: '/etc/shadow (1)' } }] },
        { file: [{ '/etc/shadow': { mode: { at_most: '0000' }, alias: '/etc/shadow (2)' } }] },
        { sysctl: [{ 'net.ipv4.ip_forward': { value: '0' } }] },
      ],
    },
  })
})

test('an invalid rule covers nothing', () => {
  const wrong = { wrong: rule('file', { path: 'etc/shadow', mode_max: '0640' }, ['1']) }
  const { code, text } = run({ profiles: { 'debian12/example': { title: 'Wrong', rules: wrong } } })
  expect(code).toBe(1)
  expect(text).toContain('etc/shadow')
})
