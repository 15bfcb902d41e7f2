// Commands that look at a target are run where it is, and what a target is called is known there.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { reportFormats } from '../../src/report/index.ts'
import { driftgate, type Outcome, PROGRAM, start, startDriftgate, temporaryDirectory } from '../support/driftgate.ts'
import { cannotMount } from '../support/mount.ts'
import { NO_SSHD, SCANNER, type SshHost, startSshHost } from '../support/ssh-host.ts'

function write(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  return cwd
}

/** Writes a file that ssh may be reading. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

const SCANNED = 'ccm: { resources: [ { file: [ { /nowhere/at/all: { ensure: absent } } ] } ] }\n'

const CARRIED = `ps -eo uid,args | grep '[-]-carried' | grep '^ *${SCANNER} '`

const POLICY =
  'ccm: { resources: [ { file: [ { "{{ Facts.host.info.os }}-{{ Data.name }}": { ensure: absent } } ] } ] }\n'

/** Runs a command here with the host as its target. */
function at(host: SshHost, cwd: string, [command = '', ...args]: readonly string[]): Promise<Outcome> {
  const carried = ['--target', host.target, '--remote-binary', host.program]
  return driftgate([command, ...args, ...carried], { cwd, env: host.env })
}

describe.skipIf(NO_SSHD)('commands at --target ssh:', () => {
  test('facts are those that a login there sees, with what is given here', async () => {
    const host = await startSshHost('mount --bind /dev/null /etc/hostname')
    const cwd = write({ 'own.yaml': 'role: web\n' })
    mkdirSync(join(host.home, '.config/driftgate/facts'), { recursive: true })
    const there = async (...args: readonly string[]): Promise<string> =>
      (await host.run(`${host.program} facts ${args.join(' ')}`)).stdout
    expect((await at(host, cwd, ['facts', 'host.info.os'])).stdout).toBe(await there('host.info.os'))
    const yaml = await at(host, cwd, ['facts', 'host.info', '--yaml'])
    expect(yaml).toMatchObject({ code: 0, stderr: '' })
    expect(yaml.stdout).toContain('os: linux\n')
    expect((await at(host, cwd, ['facts', 'role', '--facts', 'own.yaml'])).stdout).toBe('"web"\n')
    expect(await at(host, cwd, ['facts', 'host.inf.os'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('driftgate: no fact "host.inf.os"'),
    })
  })

  test('explain and validate say of a policy what they say there', async () => {
    const host = await startSshHost()
    const policy = `ccm: { resources: [ { file: [ { ${host.home}/motd: { ensure: present, owner: scanner, group: root, mode: "0644", content: "{{ Data.text }}\\n" } } ] } ] }\n`
    const cwd = write({ 'p.yaml': policy, 'site.yaml': 'text: hello\n', 'wrong.yaml': 'ccm: { resources: 1 }\n' })
    writeFileSync(join(host.home, 'motd'), 'bye\n')
    const explained = await at(host, cwd, ['explain', 'p.yaml', `${host.home}/motd`, '--data', 'site.yaml', '--json'])
    expect(explained).toMatchObject({ code: 0, stderr: '' })
    const { properties, result } = JSON.parse(explained.stdout) as {
      properties: { name: string; value: unknown }[]
      result: { verdict: string; drift: { property: string }[] }
    }
    expect(properties).toContainEqual(expect.objectContaining({ name: 'content', value: 'hello\n' }))
    expect(result.drift.map(({ property }) => property)).toContain('content')
    const valid = await at(host, cwd, ['validate', 'p.yaml', '--data', 'site.yaml'])
    expect(valid).toMatchObject({ code: 0, stderr: '' })
    expect(valid.stdout).toBe((await driftgate(['validate', 'p.yaml', '--data', 'site.yaml'], { cwd })).stdout)
    const wrong = await at(host, cwd, ['validate', 'wrong.yaml'])
    expect(wrong).toEqual(await driftgate(['validate', 'wrong.yaml'], { cwd }))
  })

  test('status and capture print what is there', async () => {
    const host = await startSshHost()
    const cwd = write({})
    writeFileSync(join(host.home, 'motd'), 'bye\n', { mode: 0o640 })
    const file = `${host.home}/motd`
    const status = await at(host, cwd, ['status', 'file', file, '--json'])
    expect(status).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(status.stdout)).toMatchObject([{ type: 'file', name: file, properties: { mode: '0640' } }])
    const captured = await at(host, cwd, ['capture', `file:${file}`])
    expect(captured.stdout).toContain(`        - ${file}:\n            ensure: present\n`)
    const kept = await at(host, cwd, ['capture', `file:${file}`, '--output', 'p.yaml'])
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('redirect the output instead') })
  })

  test('an interruption ends the command there', async () => {
    const host = await startSshHost()
    const command = `sh -c 'touch ${host.home}/began; while ! test -e ${host.home}/over; do sleep 0.05; done'`
    const resource = `{ command: ${JSON.stringify(command)}, exit_code: 0, timeout: 60s }`
    const cwd = write({ 'p.yaml': `ccm: { resources: [ { command: [ { first: ${resource} } ] } ] }\n` })
    const words = ['explain', 'p.yaml', 'first', '--target', host.target, '--remote-binary', host.program]
    const { child, outcome } = startDriftgate(words, { cwd, env: host.env })
    await vi.waitFor(() => readFileSync(join(host.home, 'began')), { timeout: 60_000, interval: 20 })
    child.kill('SIGINT')
    expect((await outcome).code).toBe(130)
    await vi.waitFor(async () => expect((await host.run(CARRIED)).stdout).toBe(''), { timeout: 90_000 })
  })

  test('an unreachable host gives an error, and inputs that cannot be sent are rejected before connecting', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': POLICY })
    const refused = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await driftgate(args, { cwd, env: host.env })
      expect([code, stdout]).toEqual([1, ''])
      return stderr
    }
    expect(await refused('facts', '--target', 'ssh:127.0.0.1:1')).toContain(
      'ssh:127.0.0.1:1: the connection was refused',
    )
    expect(await refused('facts', '--facts=-', '--target', host.target)).toContain(
      'standard input is not sent to targets',
    )
    expect(await refused('facts', '--become', 'sudo -n')).toContain('require a target that driftgate is copied to')
    expect(await refused('validate', 'p.yaml', '--plugin', './p.js', '--target', host.target)).toContain(
      'cannot load plugin ./p.js: no such file',
    )
    expect(await refused('scan', 'p.yaml', '--data=-', '--target', host.target)).toContain(
      'standard input is not sent to targets: name a file for --data',
    )
  })
})

/** A type whose resource `it` has the word that a package beside the plugin holds. */
const WORD_PLUGIN = `import { cannot, definePlugin, defineResource, differences, present } from 'driftgate'
import { word } from 'acme-word'

const type = defineResource({
  type: 'acme.word',
  summary: 'A word.',
  properties: { name: { kind: 'text', required: true, summary: 'Any.' } },
  drifts: ['word'], uses: ['files'],
  examples: [],
  observe: () => present({ who: process.getuid() }),
  decide: (_, seen) => differences([{ property: 'word', original: 'by ' + seen.state.who, desired: word }], { obstacles: [cannot('it is what it is')] }),
  apply: () => Promise.resolve({ kind: 'done' }),
})
const rows = { name: 'rows', summary: 'The ids.', render: (run) => run.policies.flatMap(({ resources }) => resources.map(({ id, verdict }) => id + ' ' + verdict + '\\n')).join('') }
export const plugin = definePlugin({ apiVersion: 2, types: [type], reportFormats: [rows] })
`

describe.skipIf(NO_SSHD)('plugins', () => {
  const PACKAGES = {
    'p.yaml': 'ccm: { resources: [ { acme.word: [ { it: {} } ] } ] }\n',
    'node_modules/acme-plugin/package.json': JSON.stringify({
      name: 'acme-plugin',
      type: 'module',
      main: 'index.js',
      dependencies: { 'acme-word': '1' },
      peerDependencies: { driftgate: '*' },
    }),
    'node_modules/acme-plugin/index.js': WORD_PLUGIN,
    'node_modules/acme-plugin/node_modules/unused/package.json': '{}',
    'node_modules/acme-word/package.json': JSON.stringify({ name: 'acme-word', type: 'module', main: 'index.js' }),
    'node_modules/acme-word/index.js': 'export const word = "hello"\n',
  }

  test('travel with the packages that they depend on, and work as the user who logs in', async () => {
    const host = await startSshHost()
    const cwd = write(PACKAGES)
    const out = await at(host, cwd, ['scan', 'p.yaml', '--plugin', 'acme-plugin', '--report', 'rows=rows', '-v'])
    expect(out).toMatchObject({ code: 2, stderr: 'driftgate: wrote rows\n' })
    expect(out.stdout).toMatch(new RegExp(`word: +want hello +found by ${SCANNER}`))
    expect(readFileSync(join(cwd, 'rows'), 'utf8')).toBe('acme.word#it drifted\n')
    expect(await at(host, cwd, ['validate', 'p.yaml', '--plugin', 'acme-plugin'])).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  test('with missing code are named', async () => {
    const host = await startSshHost()
    const cwd = write({ ...PACKAGES, 'alone.mjs': "export { plugin } from './elsewhere.mjs'\n" })
    const { code, stderr } = await at(host, cwd, ['validate', 'p.yaml', '--plugin', './alone.mjs'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot load plugin')])
    expect(stderr).toContain('elsewhere.mjs')
  })
})

describe.skipIf(NO_SSHD)('the name of a target', () => {
  const WAIVERS = (name: string): string =>
    `waivers: [ { id: known, host: "${name}", resource: "file#*", reason: known, approver: Ada, expires: "2999-01-01" } ]\n`
  const DRIFTS = 'ccm: { resources: [ { file: [ { /etc/passwd: { ensure: absent } } ] } ] }\n'

  test('of an inventory goes along: waivers hold for it there, and reports say what the host calls itself', async () => {
    const host = await startSshHost()
    const place = JSON.stringify(host.target)
    const inventory = `targets: [ { name: web01, target: ${place}, data: { name: a } }, { name: web02, target: ${place}, data: { name: b } } ]\n`
    const cwd = write({ 'p.yaml': DRIFTS, 'site.yaml': inventory, 'waivers.yaml': WAIVERS('web01') })
    const args = ['scan', 'p.yaml', '--targets', 'site.yaml', '--remote-binary', host.program]
    const options = ['--waivers', 'waivers.yaml', '--report', 'json=run.json', '--report', 'text', '--report', 'html=h']
    const { code, stdout } = await driftgate([...args, ...options], { cwd, env: host.env })
    expect(code).toBe(2)
    const run = JSON.parse(readFileSync(join(cwd, 'run.json'), 'utf8')) as Run
    expect(run.policies.map(({ target, resources: [result] }) => [target, result?.verdict])).toEqual([
      ['web01', 'waived'],
      ['web02', 'drifted'],
    ])
    expect(run.policies.map(({ origin }) => [origin?.target.name, origin?.target.hostname])).toEqual([
      ['web01', hostname()],
      ['web02', hostname()],
    ])
    expect(stdout).toContain(`web02 (${hostname()})`)
    expect(readFileSync(join(cwd, 'h'), 'utf8')).toContain(`web01<p>${hostname()}, `)
  })

  test('of one --target is what stands there, and what the host calls itself holds, too', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': DRIFTS, 'a.yaml': WAIVERS(host.target), 'b.yaml': WAIVERS(hostname()) })
    for (const name of ['a', 'b'])
      expect(await host.scan(cwd, 'p.yaml', '--waivers', `${name}.yaml`).outcome).toMatchObject({ code: 0 })
    const reports = ['--report', 'json=run.json', '--report', 'junit=j', '--report', 'markdown=m', '--report', 'html=h']
    const { stdout } = await host.scan(cwd, 'p.yaml', ...reports, '--report', 'text').outcome
    const { target } = JSON.parse(readFileSync(join(cwd, 'run.json'), 'utf8')) as Run
    expect(target).toMatchObject({ kind: 'ssh', name: host.target, hostname: hostname() })
    expect(stdout).toContain(`Audit of ${host.target} (${hostname()}, `)
    const said = ['j', 'm', 'h'].map((name) => readFileSync(join(cwd, name), 'utf8'))
    for (const text of said) expect(text).toContain(host.target)
    expect(said[0]).toContain(`<property name="target.hostname" value="${hostname()}"/>`)
    expect(said[1]).toContain(`\`${host.target}\` (\`${hostname()}\`)`)
    expect(said[2]).toContain(`<span>${hostname()}</span>`)
  })
})

describe.skipIf(NO_SSHD)('a host that cannot be reached', () => {
  test('is a result in every report, and a history keeps that nothing is known', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': 'ccm: { resources: [ { file: [ { /etc/passwd: { ensure: absent } } ] } ] }\n' })
    const gone = 'ssh:127.0.0.1:1'
    const names = reportFormats.map(({ name }) => name)
    const { code, stdout, stderr } = await driftgate(
      ['scan', 'p.yaml', '--target', gone, '--history=history', '--report', 'text'].concat(
        names.flatMap((name) => ['--report', `${name}=out.${name}`]),
      ),
      { cwd, env: host.env },
    )
    expect(code).toBe(3)
    expect(stderr).not.toContain('refused')
    expect(stdout).toContain('the connection was refused')
    for (const name of names) {
      const text = readFileSync(join(cwd, `out.${name}`), 'utf8')
      // A metric has no room for a reason.
      expect(text, name).toContain(name === 'prometheus' ? 'verdict="error"' : 'the connection was refused')
    }
    const shown = await driftgate(['history', '--history', 'history', '--host', gone, '--format', 'json'], { cwd })
    expect(JSON.parse(shown.stdout)).toMatchObject({ runs: [{ host: gone, exitCode: 1 }] })
  })

  test('is one that a watch goes on asking', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': SCANNED })
    const config = join(host.directory, 'config')
    const reached = readFileSync(config, 'utf8')
    replaceFile(config, `Host 127.0.0.1\n Port 1\n${reached}`)
    const target = 'ssh:scanner@127.0.0.1'
    const words = ['watch', 'p.yaml', '--every', '1s', '--target', target, '--remote-binary', host.program]
    const { child, outcome, said } = startDriftgate(words, { cwd, env: host.env })
    await said('1 resource: 1 error')
    replaceFile(config, `Host 127.0.0.1\n Port ${host.port}\n${reached}`)
    await said('1 resource: 1 compliant')
    child.kill('SIGTERM')
    const { code, stdout } = await outcome
    expect(code).toBe(0)
    expect(stdout).toContain('the connection was refused')
    await vi.waitFor(async () => expect((await host.run(CARRIED)).stdout).toBe(''), { timeout: 20_000 })
  })
})

describe.skipIf(NO_SSHD)('a watch over an outage of its target', () => {
  test('tells the outage, and calls nothing new that was seen before it', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': SCANNED.replace('/nowhere/at/all', '/etc/passwd') })
    const config = join(host.directory, 'config')
    const [before, reached] = [readFileSync(config, 'utf8'), (port: number) => `Host 127.0.0.1\n Port ${port}\n`]
    replaceFile(config, reached(host.port) + before)
    const words = ['watch', 'p.yaml', '--every', '1s', '--target', 'ssh:scanner@127.0.0.1']
    const { child, outcome, said } = startDriftgate([...words, '--remote-binary', host.program], { cwd, env: host.env })
    await said('1 resource: 1 drifted')
    replaceFile(config, reached(1) + before)
    await said('target#scan: now error, was not in the earlier run')
    replaceFile(config, reached(host.port) + before)
    await said('target#scan: was error, is not in the later run')
    child.kill('SIGTERM')
    const { code, stdout } = await outcome
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/^(?:new|incomparable|resolved) /m)
  })
})

describe.skipIf(NO_SSHD ?? cannotMount)('a schedule of scans at --target ssh:', () => {
  /** Runs commands of root where cron has no entries and root's own configuration of ssh is that of the test. */
  const asRoot = (host: SshHost, cwd: string, script: string, ...words: readonly string[]): Promise<Outcome> => {
    const prepared = [
      `mkdir -p ${cwd}/cron.d`,
      `mount --bind ${cwd}/cron.d /etc/cron.d`,
      'mount -t tmpfs -o mode=700 none /root',
      'mkdir -m 700 /root/.ssh',
      `cp ${host.directory}/config /root/.ssh/config`,
      script,
    ].join(' && ')
    return start('unshare', ['-m', 'sh', '-c', prepared, 'sh', ...PROGRAM, ...words], { cwd }).outcome
  }
  const WHEN = 'p.yaml --on-calendar daily --randomized-delay 0 --scheduler cron --report json=out/run.json --quiet'
  const install = (host: SshHost, ...targets: readonly string[]): readonly string[] =>
    ['schedule', 'install', ...WHEN.split(' '), '--remote-binary', host.program].concat(
      targets.flatMap((target) => ['--target', target]),
    )

  test('is installed with what a timer needs said, and its entry scans the host', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': SCANNED, 'out/.keep': '' })
    const { code, stdout, stderr } = await asRoot(host, cwd, 'exec "$@"', ...install(host, host.target))
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'wrote /etc/cron.d/driftgate-scan\n' })
    expect(stderr).toContain('the scans run as root, and connect to their targets with the SSH configuration')
    expect(stderr).not.toContain('ssh:')
    const [entry = ''] = readFileSync(join(cwd, 'cron.d/driftgate-scan'), 'utf8').split('\n').slice(1)
    const command = entry.replace(/^(?:\S+ ){5}root /, '')
    expect(await asRoot(host, cwd, `cd / && ${command}`)).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(readFileSync(join(cwd, 'out/run.json'), 'utf8'))).toMatchObject({
      target: { kind: 'ssh', name: host.target },
      summary: { total: 1, compliant: 1 },
    })
  })

  test('is not installed with policies that are not valid there; a host that is away is only said', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': 'ccm: { resources: 1 }\n', 'out/.keep': '' })
    const wrong = await asRoot(host, cwd, 'exec "$@"', ...install(host, host.target, 'ssh:127.0.0.1:1'))
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('p.yaml:1:')
    expect(wrong.stderr).toContain(`the policies are not valid at ${host.target}`)
    expect(readdirSync(join(cwd, 'cron.d'))).toEqual([])
    const away = await asRoot(host, cwd, 'exec "$@"', ...install(host, 'ssh:127.0.0.1:1'))
    expect(away.code).toBe(0)
    expect(away.stderr).toContain('driftgate: warning: ssh:127.0.0.1:1: the connection was refused')
  })

  test('waits for the network when the machine starts', async () => {
    const cwd = write({ 'p.yaml': SCANNED })
    const show = async (target: string): Promise<string> => {
      const words = ['schedule', 'show', 'p.yaml', '--on-calendar', 'daily', '--scheduler', 'systemd']
      return (await driftgate([...words, '--target', target], { cwd })).stdout
    }
    expect(await show('ssh:web01')).toContain('After=network-online.target\n')
    expect(await show('container:web')).not.toContain('network-online')
  })
})
