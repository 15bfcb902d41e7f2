import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResourceResult } from '../../src/model/run.ts'
import { CONFIG_NAME } from '../../src/policy/fetch/config-name.ts'
import { pack, serveFile } from '../support/bundles.ts'
import { driftgate, runInProcess } from '../support/command-line.ts'
import { type Outcome } from '../support/driftgate.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { serve } from '../support/web-server.ts'
import { SELF } from '../support/contract.ts'

const TOKEN = 'planted-token'
const SECRET = 'planted-secret'

/** A directory of policies of another user, beside a file that the policies must not read. */
function scene(files: Readonly<Record<string, string>>): { base: string; cwd: string } {
  const base = temporaryDirectory()
  writeFileSync(join(base, 'secret'), `${SECRET}\n`)
  const cwd = join(base, 'checkout')
  mkdirSync(cwd)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text.replaceAll('BASE', base))
  return { base, cwd }
}

/** Runs with a token in the environment, which must not be in anything that comes out of it. */
async function scanIn(cwd: string, args: readonly string[]): Promise<Outcome> {
  const reports = ['--report=json=drift.json', '--report=html=drift.html', '--verbose']
  const outcome = await driftgate(['scan', ...args, ...reports], { cwd, env: { CI_TOKEN: TOKEN } })
  const texts = [outcome.stdout, outcome.stderr, ...['drift.json', 'drift.html'].map((name) => textOf(join(cwd, name)))]
  for (const text of texts) expect(text).not.toMatch(/planted-(secret|token)/)
  return outcome
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function resultsIn(cwd: string): readonly ResourceResult[] {
  return JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8')).policies[0]?.resources ?? []
}

const OWN = `owner: "${SELF.owner}", group: "${SELF.group}"`
const BODY = `ensure: present, ${OWN}, mode: "0644"`

describe('an untrusted policy', () => {
  test.each([
    ['a value', '"{{ Environ.CI_TOKEN }}"'],
    ['a value with a default', `'{{ Environ.CI_TOKEN ?? "none" }}'`],
    ['whether it is there', `'{{ "CI_TOKEN" in Environ ? "a" : "b" }}'`],
    ['all of them', `'{{ toJSON(Environ) }}'`],
    ['a lookup', `'{{ lookup("environ.CI_TOKEN", "none") }}'`],
    ['a lookup of everything', `'{{ lookup("@this", "none") }}'`],
    ['a template in Jet', `"{{ jet('[[ environ.CI_TOKEN ]]') }}"`],
    ['a file elsewhere', '"{{ readFile(\'BASE/secret\') }}"'],
    ['a file elsewhere by a relative name', '"{{ file(\'../secret\') }}"'],
  ])('sees nothing of environment and other files: %s', async (_case, content) => {
    const { cwd } = scene({
      'p.yaml': `ccm: {resources: [{file: {name: /etc/passwd, ${BODY}, content: ${content}}}]}\n`,
    })
    expect((await scanIn(cwd, ['p.yaml', '--untrusted'])).code).toBe(3)
    expect(resultsIn(cwd)).toMatchObject([
      { verdict: 'error', reason: 'not-observable', message: expect.stringContaining('--untrusted') },
    ])
  })

  test('sees neither in a condition nor in the templates of a scaffold', async () => {
    const { base, cwd } = scene({
      'p.yaml': `ccm:
  resources:
    - file: {name: /etc/passwd, ensure: absent, control: {if: 'Environ.CI_TOKEN != ""'}}
    - scaffold: {name: BASE/target, alias: one, ensure: present, source: templates, engine: jet}
    - scaffold: {name: BASE/target, alias: other, ensure: present, source: other, engine: go}
`,
    })
    mkdirSync(join(base, 'target'))
    for (const [name, text] of [
      ['templates', '[[ environ.CI_TOKEN ]]'],
      ['other', '{{ .environ.CI_TOKEN }}'],
    ] as const) {
      mkdirSync(join(cwd, name))
      writeFileSync(join(cwd, name, 'f'), text)
    }
    expect((await scanIn(cwd, ['p.yaml', '--untrusted'])).code).toBe(3)
    expect(resultsIn(cwd).map(({ verdict }) => verdict)).toEqual(['error', 'error', 'error'])
    for (const { message } of resultsIn(cwd)) expect(message).toContain('--untrusted')
  })

  test.each([
    'http://ORIGIN/{{ readFile("BASE/secret") }}.tgz',
    'http://ORIGIN/{{ Environ.CI_TOKEN }}.tgz',
    'http://ORIGIN/a.tgz',
  ])('sends nothing anywhere: %s', async (source) => {
    const { asked, origin } = await serve((_request, response) => response.writeHead(404).end())
    const named = source.replace('http://ORIGIN', origin)
    const { cwd } = scene({
      'p.yaml': `ccm: {resources: [{scaffold: {name: /etc/nowhere, ensure: present, source: '${named}', engine: jet}}]}\n`,
    })
    expect((await scanIn(cwd, ['p.yaml', '--untrusted'])).code).toBe(3)
    expect(resultsIn(cwd)).toMatchObject([{ verdict: 'error', message: expect.stringContaining('--untrusted') }])
    expect(asked).toEqual([])
  })

  test('runs nothing', async () => {
    const { base, cwd } = scene({
      'p.yaml': `ccm:
  resources:
    - exec: {name: 'touch BASE/ran', provider: shell, onlyif: 'touch BASE/ran'}
    - file: {name: BASE/secret, ${BODY}, health_checks: [{command: 'touch BASE/ran'}]}
`,
      [CONFIG_NAME]: 'plugins: [./plugin.js]\n',
      'plugin.js': `import { writeFileSync } from 'node:fs'\nwriteFileSync('BASE/ran', '')\n`,
    })
    await scanIn(cwd, ['p.yaml', '--untrusted'])
    expect(resultsIn(cwd)).toMatchObject([
      { verdict: 'error', reason: 'not-observable', message: expect.stringContaining('--untrusted') },
      { verdict: 'error', message: expect.stringContaining('--untrusted') },
    ])
    expect(existsSync(join(base, 'ran'))).toBe(false)
  })

  test('compares contents, and shows neither them nor what would let them be guessed', async () => {
    const { cwd } = scene({ 'p.yaml': `ccm: {resources: [{file: {name: BASE/secret, ${BODY}, content: x}}]}\n` })
    expect((await scanIn(cwd, ['p.yaml', '--untrusted'])).code).toBe(2)
    const drift = resultsIn(cwd)[0]?.drift[0]
    expect(drift).toMatchObject({
      property: 'content',
      desired: { redacted: true },
      observed: { redacted: true },
      note: 'not shown: the policy is untrusted (--untrusted)',
    })
    expect(drift).not.toHaveProperty('diff')
  })

  test('is copied from nothing outside, and is itself no link to another place', async () => {
    const { base, cwd } = scene({
      'source.yaml': `ccm: {resources: [{file: {name: /etc/passwd, ${BODY}, source: BASE/secret}}]}\n`,
      'child.yaml': `ccm: {resources: [{apply: {name: ../secret}}]}\n`,
      'behind.yaml': `ccm: {resources: [{file: {name: /etc/passwd, ${BODY}, source: link}}]}\n`,
    })
    symlinkSync(join(base, 'secret'), join(cwd, 'link'))
    symlinkSync(join(base, 'secret'), join(cwd, 'linked.yaml'))
    for (const name of ['source.yaml', 'child.yaml', 'behind.yaml', 'linked.yaml']) {
      const { code, stderr } = await scanIn(cwd, [name, '--untrusted'])
      expect([name, code]).toEqual([name, 1])
      expect(stderr, name).toMatch(/--untrusted|outside the policy's directory/)
    }
  })

  test('may use what lies beside it, and what it does not need to look for is compliant', async () => {
    const { cwd } = scene({
      'p.yaml': `data: {on: true}\nccm: {resources: [{file: {name: BASE/secret, ensure: present, ${OWN}, mode: "{{ file('mode') }}", control: {if: 'Data.on'}}}]}\n`,
      mode: '0644',
    })
    expect((await scanIn(cwd, ['p.yaml', '--untrusted'])).code).toBe(0)
  })

  test('is never fixed', async () => {
    const { cwd } = scene({ 'p.yaml': 'ccm: {resources: [{file: {name: /etc/nowhere, ensure: absent}}]}\n' })
    expect(await scanIn(cwd, ['p.yaml', '--untrusted', '--fix'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--fix requires trusted policies'),
    })
  })
})

describe('a policy at an address', () => {
  const policy = `ccm: {resources: [{file: {name: /etc/passwd, ${BODY}, content: "{{ Environ.CI_TOKEN }}"}}]}\n`

  test('is untrusted by default, and never fixed', async () => {
    const { cwd } = scene({})
    const address = `${await serveFile(pack('p.tgz', { 'policy.yaml': policy }))}/p.tgz`
    expect((await scanIn(cwd, [address])).code).toBe(3)
    expect(resultsIn(cwd)).toMatchObject([
      { reason: 'not-observable', message: expect.stringContaining('--untrusted') },
    ])
    expect(await scanIn(cwd, [address, '--fix'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--trusted'),
    })
  })

  test('is trusted where the operator says so, but not by a config beside other policies', async () => {
    const { cwd } = scene({ 'p.yaml': policy, [CONFIG_NAME]: 'trusted: true\n' })
    const address = `${await serveFile(pack('p.tgz', { 'policy.yaml': policy }))}/p.tgz`
    const trusted = await driftgate(['scan', address, '--trusted'], { cwd, env: { CI_TOKEN: TOKEN } })
    expect(trusted).toMatchObject({ code: 2, stdout: expect.stringContaining(TOKEN) })
    expect(await scanIn(cwd, [address, 'p.yaml'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot make policies trusted'),
    })
  })
})

describe('other commands that evaluate a policy of others', () => {
  /** Each with the policy, and what else it needs; those that expand what a resource wants say what is forbidden. */
  const COMMANDS: readonly (readonly [name: string, ...args: string[]])[] = [
    ['validate', 'p.yaml'],
    ['data', 'p.yaml'],
    ['graph', 'p.yaml'],
    ['render', 'p.yaml'],
    ['explain', 'p.yaml', 'file#hosts'],
    ['eval', 'EXPRESSION', '--policy', 'p.yaml'],
  ]
  const EXPANDING = new Set(['render', 'explain', 'eval'])

  test.each(COMMANDS)('%s sees nothing of environment and other files', async (...args) => {
    for (const expression of ['Environ.CI_TOKEN', "readFile('BASE/secret')"]) {
      const content = `'{{ ${expression.replaceAll("'", "''")} }}'`
      const { base, cwd } = scene({
        'p.yaml': `data: {a: 1}\nccm: {resources: [{file: {name: /etc/passwd, alias: hosts, ${BODY}, content: ${content}}}]}\n`,
      })
      const words = args.map((word) => (word === 'EXPRESSION' ? expression.replace('BASE', base) : word))
      const run = (...more: string[]): Promise<Outcome> =>
        driftgate([...words, ...more], { cwd, env: { CI_TOKEN: TOKEN } })
      const { stdout, stderr } = await run('--untrusted')
      expect(stdout + stderr).not.toMatch(/planted-(secret|token)/)
      if (!EXPANDING.has(args[0] ?? '')) continue
      expect(stdout + stderr).toContain('--untrusted')
      expect((await run()).stdout + (await run()).stderr).not.toContain('--untrusted')
    }
  })

  test('explain runs none of its commands', async () => {
    const { base, cwd } = scene({
      'p.yaml': "ccm: {resources: [{exec: {name: 'touch BASE/ran', provider: shell, onlyif: 'touch BASE/ran'}}]}\n",
    })
    const { stdout } = await driftgate(['explain', 'p.yaml', `exec#touch ${base}/ran`, '--untrusted'], { cwd })
    expect(stdout).toContain('--untrusted')
    expect(existsSync(join(base, 'ran'))).toBe(false)
  })

  test('rejects an expression without a policy', async () => {
    const { cwd } = scene({})
    const { code, stderr } = await driftgate(['eval', '1 + 1', '--untrusted'], { cwd })
    expect([code, stderr]).toEqual([1, expect.stringContaining('--untrusted requires --policy')])
  })
})

test.each([
  ['--untrusted-timeout', 'soon', 'must be a duration'],
  ['--untrusted-memory', '1GiB', 'must be a whole number of MiB'],
])('%s %s is wrong usage', async (option, value, complaint) => {
  const { cwd } = scene({ 'policy.yaml': 'ccm: {resources: [{file: {name: /srv/nowhere, ensure: absent}}]}\n' })
  const { code, stderr } = await runInProcess('scan', join(cwd, 'policy.yaml'), '--untrusted', option, value)
  expect(code).toBe(1)
  expect(stderr).toContain(complaint)
})
