// The single executable file does what the package of npm does, with nothing beside it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test, vi } from 'vitest'
import { driftgate, type Outcome, start, temporaryDirectory, UNPRIVILEGED } from '../support/driftgate.ts'
import { makePackages, packagesForTests, plantLibraries, plantProgram } from '../support/one-file.ts'
import { markerPlugin, writeFiles } from '../support/plugin.ts'
import { needsPrograms } from '../support/programs.ts'
import { NO_SSHD, SCANNER, type SshHost, startSshHost } from '../support/ssh-host.ts'
import { needsRoot } from '../support/temporary.ts'

const [, RUNTIME = ''] = /RUNTIME = '([\d.]+)'/.exec(readFileSync('scripts/package/runtime.mjs', 'utf8')) ?? []
const packages = packagesForTests('--only', 'binary')
const oneFile = (): string => packages.file(`-linux-${process.arch}`)

/** Runs the one file with a PATH on which there is no Node. */
function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return start(oneFile(), args, { cwd, env }).outcome
}

describe('the build', () => {
  test('the version, and how it was built', async () => {
    const cwd = temporaryDirectory()
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await run(cwd, ['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
    const { stdout } = await run(cwd, ['version'])
    const [first, form, node, commit, date] = stdout.split('\n')
    expect([first, form]).toEqual([`driftgate ${version}`, 'form: single executable file'])
    expect(node).toMatch(new RegExp(`^node: ${RUNTIME} \\(V8 [\\d.]+-node\\.\\d+, linux ${process.arch}\\)$`))
    expect(commit).toMatch(/^commit: ([0-9a-f]{40}( with changes)?|unknown)$/)
    expect(date).toMatch(/^date: (20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ|unknown)$/)
    expect((await driftgate(['version'], { cwd })).stdout).toContain('form: npm package\n')
    const asJson: unknown = JSON.parse((await run(cwd, ['version', '--json'])).stdout)
    expect(asJson).toMatchObject({ version, form: 'single executable file', node: RUNTIME, arch: process.arch })
  })

  test('V8 takes the compiled code inside', async () => {
    const cwd = temporaryDirectory()
    const spy = `const vm = require('node:vm'); const { Script } = vm
      vm.Script = class extends Script { constructor(text, options) { super(text, options); console.error('refused:', this.cachedDataRejected) } }`
    writeFiles(cwd, { 'spy.cjs': spy })
    const { stderr } = await run(cwd, ['policies'], { NODE_OPTIONS: `--require ${join(cwd, 'spy.cjs')}` })
    // What most scans run, a script without compiled code that tells the flags of V8, and the parts.
    expect(stderr).toBe('refused: false\nrefused: undefined\nrefused: false\n')
  })

  test('the same input makes the same bytes', () => {
    const again = temporaryDirectory()
    makePackages(again, '--only', 'binary')
    const [name = ''] = readdirSync(again)
    expect(readFileSync(join(again, name)).equals(readFileSync(join(packages.directory, name)))).toBe(true)
  })

  test('a Node for another machine, or none, is refused', () => {
    const out = temporaryDirectory()
    const other = process.arch === 'arm64' ? 'x64' : 'arm64'
    expect(() => makePackages(out, '--node', process.execPath, '--arch', other)).toThrow(
      `is for ${process.arch}, not for ${other}`,
    )
    expect(() => makePackages(out, '--node', '/bin/sh')).toThrow('/bin/sh cannot take a program')
    expect(readdirSync(out)).toEqual([])
  })
})

describe('the program', () => {
  test('says of policies that ship what the package says', async () => {
    const cwd = temporaryDirectory()
    const names = (JSON.parse((await run(cwd, ['policies', '--json'])).stdout) as { name: string }[]).map(
      (one) => one.name,
    )
    expect(names.length).toBeGreaterThan(5)
    expect(await run(cwd, ['validate', '@ssh', '@linux'])).toEqual(
      await driftgate(['validate', '@ssh', '@linux'], { cwd }),
    )
    expect(await run(cwd, ['policies'])).toEqual(await driftgate(['policies'], { cwd }))
    expect(await run(cwd, ['validate', '@nothing'])).toEqual(await driftgate(['validate', '@nothing'], { cwd }))
  })

  test('ends policies of others that need too much memory', async () => {
    const cwd = temporaryDirectory()
    const list = Array.from({ length: 80_000 }, (_, index) => `    - {a: ${index}, b: x${index}}\n`).join('')
    const policy = `data:\n  list:\n${list}\nccm: {resources: [{file: {name: /srv/nowhere, ensure: absent}}]}\n`
    writeFiles(cwd, { 'policy.yaml': policy })
    const scan = ['scan', 'policy.yaml', '--untrusted']
    const { code, stderr } = await run(cwd, [...scan, '--untrusted-memory', '50'])
    expect(code).toBe(1)
    expect(stderr).toContain('needed more than 50 MiB of memory and were stopped')
    expect(await run(cwd, scan)).toMatchObject({ code: 0, stderr: '' })
  })

  test('scans again and again', async () => {
    const cwd = temporaryDirectory()
    writeFiles(cwd, { 'policy.yaml': 'ccm: {resources: [{file: {name: /nowhere/at/all, ensure: absent}}]}\n' })
    const { child, outcome, said } = start(oneFile(), ['watch', 'policy.yaml', '--every', '1s'], { cwd })
    await said('1 compliant')
    child.kill('SIGTERM')
    expect((await outcome).stderr).not.toContain('cannot')
  })

  test('plans itself, and nothing else, for a schedule', async () => {
    const cwd = temporaryDirectory()
    writeFiles(cwd, { 'policy.yaml': 'ccm: {resources: [{file: {name: /nowhere/at/all, ensure: absent}}]}\n' })
    const { stdout } = await run(cwd, [
      'schedule',
      'show',
      'policy.yaml',
      '--on-calendar',
      'daily',
      '--scheduler',
      'cron',
    ])
    expect(stdout).toContain(`${oneFile()} scan`)
    expect(stdout).not.toContain(`${oneFile()} ${oneFile()}`)
  })
})

describe('plugins', () => {
  test('a type is audited, fixed and audited again, though no driftgate is installed', async () => {
    const cwd = temporaryDirectory()
    const policy = `ccm:\n  resources:\n    - demo.marker:\n        - ${cwd}/marker: {}\n`
    writeFiles(cwd, { 'marker.mjs': markerPlugin(), 'p.yaml': policy })
    if (UNPRIVILEGED !== undefined) chownSync(cwd, UNPRIVILEGED, UNPRIVILEGED)
    const fix = (...more: readonly string[]): Promise<Outcome> => {
      const options = { cwd, env: { TMPDIR: cwd }, ...(UNPRIVILEGED !== undefined && { uid: UNPRIVILEGED }) }
      return start(oneFile(), ['scan', 'p.yaml', '--plugin', './marker.mjs', ...more], options).outcome
    }
    chmodSync(packages.directory, 0o755)
    expect(await fix()).toMatchObject({ code: 2, stderr: '' })
    expect(await fix('--fix')).toMatchObject({ code: 0, stderr: '' })
    expect(await fix()).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['a syntax error', { 'p.mjs': 'const a = 1\nconst b = 1 2\n' }, /Unexpected number \(\/\S+\/p\.mjs:2\)\n$/],
    ['an import of what is missing', { 'p.mjs': 'import "driftgate/nothing"' }, /cannot load plugin .*driftgate/],
    [
      'an import of what driftgate lacks',
      { 'p.mjs': '\nimport { no } from "driftgate"' },
      /named 'no' \(\/\S+\/p\.mjs:2\)\n$/,
    ],
  ])('%s is told with its place', async (_name, files, message) => {
    const cwd = temporaryDirectory()
    writeFiles(cwd, files)
    const { code, stderr } = await run(cwd, ['types', '--plugin', './p.mjs'])
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })

  test.each([
    ['js', 'const a = 1\nconst b = 1 2\n', /Unexpected number \(\/\S+\/p\.js:2\)\n$/],
    ['js', 'export const a = 1\n\nexport const b = 1 2\n', /Unexpected number \(\/\S+\/p\.js:3\)\n$/],
    [
      'cjs',
      'require("node:fs").appendFileSync("ran", "x")\nJSON.parse("{")\n',
      /in JSON .*\(in a module it imports\)\n$/,
    ],
    ['mjs', 'import { appendFileSync } from "node:fs"\nappendFileSync("ran", "x")\nJSON.parse("{")\n', /in JSON/],
  ])('one of .%s is looked at where its syntax is wrong, and not run again: %j', async (ending, text, message) => {
    const cwd = temporaryDirectory()
    writeFiles(cwd, { [`p.${ending}`]: text, ran: '' })
    const { code, stderr } = await run(cwd, ['types', '--plugin', `./p.${ending}`])
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
    expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe(text.includes('ran') ? 'x' : '')
  })
})

describe.skipIf(needsRoot ?? needsPrograms('ldd'))('in a root where nothing else is (needs root)', () => {
  test('policies that ship are validated, and a file is found missing', () => {
    const root = temporaryDirectory()
    const program = plantProgram(root, oneFile())
    const inside = (...args: readonly string[]): string =>
      execFileSync('chroot', [root, program, ...args], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    expect(readdirSync(root).filter((name) => !name.startsWith('lib') && name !== 'usr')).toEqual(['driftgate'])
    expect(inside('validate', '@ssh')).toContain('1 policy valid')
    mkdirSync(join(root, 'etc'))
    writeFiles(root, { 'p.yaml': 'ccm: {resources: [{file: {name: /etc/passwd, ensure: absent}}]}\n' })
    expect(inside('scan', '/p.yaml')).toContain('1 compliant')
    writeFileSync(join(root, 'etc/passwd'), '')
    expect(() => inside('scan', '/p.yaml')).toThrow(expect.objectContaining({ status: 2 }))
  })
})

/** What a login needs to start driftgate: a shell, and the programs that its first line names. */
const OF_A_LOGIN = 'sh uname id ls df mkdir rmdir rm head chmod mv sha256sum'.split(' ')

/** What keeps two fixes apart. */
const OF_A_FIX = ['flock']

describe.skipIf(NO_SSHD ?? needsPrograms('ldd'))('carried to a host without Node', () => {
  /** A host whose logins see a root with nothing but these programs and the libraries of a C++ program. */
  async function bareHost(): Promise<{ readonly host: SshHost; readonly root: string; readonly home: string }> {
    const root = temporaryDirectory()
    chmodSync(root, 0o755)
    for (const name of ['bin', 'dev', 'proc', 'etc', 'tmp', 'var/tmp']) mkdirSync(join(root, name), { recursive: true })
    for (const name of ['tmp', 'var/tmp']) chmodSync(join(root, name), 0o1777)
    for (const name of [...OF_A_LOGIN, ...OF_A_FIX]) {
      const program = execFileSync('which', [name], { encoding: 'utf8' }).trim()
      plantLibraries(root, program)
      copyFileSync(program, join(root, 'bin', name))
    }
    plantLibraries(root, oneFile())
    // The server requires a path that only root can write to.
    const mounts = `mount --bind ${root} /mnt && mount --rbind /dev /mnt/dev && mount --rbind /proc /mnt/proc`
    const host = await startSshHost(mounts, 'ChrootDirectory /mnt\n')
    const home = join(root, host.home)
    mkdirSync(home, { recursive: true })
    chownSync(home, SCANNER, SCANNER)
    const accounts = ['root:x:0:0::/root:/bin/sh', `scanner:x:${SCANNER}:${SCANNER}::${host.home}:/bin/sh`]
    const groups = ['root:x:0:', `scanner:x:${SCANNER}:`]
    writeFiles(root, { 'etc/passwd': `${accounts.join('\n')}\n`, 'etc/group': `${groups.join('\n')}\n` })
    return { host, root, home }
  }

  test('it scans and fixes there, is copied once, and its copy is not run when it is another one', async () => {
    const { host, home } = await bareHost()
    const motd = '{ ensure: present, owner: scanner, group: scanner, mode: "0644", content: "new\\n" }'
    const cwd = temporaryDirectory()
    writeFiles(cwd, { 'p.yaml': `ccm: { resources: [ { file: [ { ${host.home}/motd: ${motd} } ] } ] }\n` })
    const scan = (...more: readonly string[]): Promise<Outcome> =>
      start(oneFile(), ['scan', 'p.yaml', '--target', host.target, ...more], { cwd, env: host.env }).outcome
    expect((await host.run('command -v node || ls /usr/bin/env')).code).not.toBe(0)
    const sum = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

    const first = await scan()
    expect(first).toMatchObject({ code: 2, stderr: '' })
    expect(first.stdout).toContain('found absent')
    const cache = join(home, '.cache/driftgate')
    const [name = '', ...others] = readdirSync(cache)
    expect([others, sum(join(cache, name))]).toEqual([[], sum(oneFile())])
    const { ino } = statSync(join(cache, name))

    expect(await scan('--fix')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(home, 'motd'), 'utf8')).toBe('new\n')
    expect(await scan()).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(join(cache, name)).ino).toBe(ino)

    writeFileSync(join(cache, name), `#!/bin/sh\n: > ${host.home}/fooled\n`)
    expect(await scan()).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(home)).not.toContain('fooled')
    expect(sum(join(cache, name))).toBe(sum(oneFile()))
    expect(readdirSync(cache)).toEqual([name])
  })
})

describe.skipIf(needsRoot)('a way back', () => {
  test('a fix is taken back by undo, and by itself at its deadline', async () => {
    const home = temporaryDirectory(UNPRIVILEGED)
    chmodSync(packages.directory, 0o755)
    const file = join(home, 'a')
    writeFiles(home, { a: 'old\n' })
    chownSync(file, 65_534, 65_534)
    const wanted = '{ ensure: present, content: "new\\n", owner: nobody, group: nogroup, mode: "0644" }'
    writeFiles(home, { 'p.yaml': `ccm:\n  resources:\n    - file:\n        - ${file}: ${wanted}\n` })
    const asNobody = (...args: readonly string[]): Promise<Outcome> =>
      start(oneFile(), args, { cwd: home, uid: 65_534, env: { TMPDIR: home } }).outcome
    expect(await asNobody('scan', 'p.yaml', '--fix')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('new\n')
    expect(await asNobody('undo', '--latest')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('old\n')
    expect(await asNobody('scan', 'p.yaml', '--fix', '--confirm-within', '1s')).toMatchObject({ code: 0 })
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('old\n'), { timeout: 90_000, interval: 50 })
    await vi.waitFor(async () => expect((await asNobody('fixes')).stdout).not.toContain('unless it is confirmed'), {
      timeout: 30_000,
      interval: 50,
    })
  })
})
