import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import {
  driftgate,
  DRIFTGATE,
  type Outcome,
  PROGRAM,
  start,
  temporaryDirectory,
  UNPRIVILEGED,
  writePolicy,
} from '../support/driftgate.ts'
import { cannotMount } from '../support/mount.ts'
import { needsSystemctl } from '../support/systemctl.ts'

/** A directory with a valid policy. */
function withPolicy(uid?: number): string {
  const cwd = temporaryDirectory(uid)
  writePolicy(join(cwd, 'policy.json'), [{ name: '/nowhere', ensure: 'absent' }])
  return cwd
}

const DAILY = ['--on-calendar', 'daily']

test('the scan of a schedule means the same from anywhere, and shows what a config adds by itself', async () => {
  const cwd = withPolicy()
  writeFileSync(join(cwd, 'data.yaml'), 'a: 1\n')
  writeFileSync(join(cwd, 'driftgate.config.yaml'), 'fail-on: high\nreport: junit=found/junit.xml\n')
  const args = [
    'policy.json',
    '--data',
    'data.yaml',
    '--set',
    'b=./c',
    '--out',
    '--only',
    'file#*',
    '--no-diff',
  ].concat('--target', 'root:disk', '--target', 'local', '--parallel', '2')
  const { code, stdout, stderr } = await driftgate(['schedule', 'show', ...args, ...DAILY, '--scheduler', 'systemd'], {
    cwd,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(stdout) ?? []
  expect(command.split(' ').toSorted()).toEqual(
    [process.execPath, DRIFTGATE, 'scan', join(cwd, 'policy.json'), `--data=${join(cwd, 'data.yaml')}`]
      .concat(`--target=root:${join(cwd, 'disk')}`, '--target=local', '--parallel=2')
      .concat('--set=b=./c', `--out=${join(cwd, 'reports')}`, '"--only=file#*"', '--no-diff')
      .toSorted(),
  )
  // What the config adds is read at each scan; where it is written to has to be known now.
  if (process.geteuid?.() === 0) expect(stdout).toContain(`ReadWritePaths=${join(cwd, 'found')}\n`)
})

/** A directory of an ordinary user, and how they run driftgate there. */
interface Machine {
  readonly cwd: string
  /** `scene` is a shell command of root that prepares what the run alone sees. */
  readonly run: (args: readonly string[], scene?: string) => Promise<Outcome>
}

const skipped = cannotMount ?? needsSystemctl

describe.skipIf(skipped)(`an ordinary user (${skipped ?? 'with a systemctl of their own'})`, () => {
  const uid = UNPRIVILEGED ?? 0

  /**
   * A stand-in for systemd's own program, which no container has running: it notes what it is asked, and can refuse. It is
   * mounted over the real one, for no other would be run.
   */
  function machine(refused = 'nothing'): Machine {
    const cwd = withPolicy(UNPRIVILEGED)
    const script = `#!/bin/sh\necho "$*" >>${cwd}/asked\ncase "$*" in *${refused}*) echo 'Access denied' >&2; exit 1;; esac\n`
    writeFileSync(join(cwd, 'systemctl'), script)
    chmodSync(join(cwd, 'systemctl'), 0o755)
    const env = { XDG_CONFIG_HOME: join(cwd, 'config') }
    const user = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
    const inside = 'mount --bind systemctl "$(readlink -f /usr/bin/systemctl)"'
    const run: Machine['run'] = (args, scene = 'true') => {
      const words = ['-m', 'sh', '-c', `${inside} && ${scene} && exec "$@"`, 'sh', ...user, ...PROGRAM]
      return start('unshare', [...words, ...args], { cwd, env }).outcome
    }
    return { cwd, run }
  }
  const install = ['schedule', 'install', 'policy.json', ...DAILY, '--scheduler', 'systemd']

  test('gets units of their own, replaced and removed again', async () => {
    const { cwd, run } = machine()
    const units = join(cwd, 'config/systemd/user')
    const first = await run(install)
    expect(first).toMatchObject({ code: 0 })
    expect(readdirSync(units)).toEqual(['driftgate-scan.service', 'driftgate-scan.timer'])
    const shown = await run(['schedule', 'show', ...install.slice(2)])
    const written = ['service', 'timer'].map((kind) => {
      const path = join(units, `driftgate-scan.${kind}`)
      return `# ${path}\n${readFileSync(path, 'utf8')}`
    })
    expect(shown.stdout).toBe(written.join('\n'))

    expect((await run([...install, '--on-calendar', 'weekly'])).code).toBe(0)
    expect(readFileSync(join(units, 'driftgate-scan.timer'), 'utf8')).toContain('OnCalendar=weekly')
    expect((await run(['schedule', 'remove'])).code).toBe(0)
    expect(readdirSync(units)).toEqual([])
    const asked = readFileSync(join(cwd, 'asked'), 'utf8')
    expect(asked).toMatch(/--user .*enable driftgate-scan\.timer\n/)
    expect(asked).toMatch(/--user disable (--now )?driftgate-scan\.timer\n/)
  })

  test('lets a systemd that runs read the units again whenever they are written or removed', async () => {
    const { cwd, run } = machine()
    // What says that systemd runs. @see sd_booted(3)
    const booted = 'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system'
    const asked = (): string[] => {
      const lines = readFileSync(join(cwd, 'asked'), 'utf8').trimEnd().split('\n')
      rmSync(join(cwd, 'asked'))
      return lines.map((line) => line.replace('--no-ask-password --user ', ''))
    }
    const start = ['daemon-reload', 'enable driftgate-scan.timer', 'restart driftgate-scan.timer']
    for (const calendar of ['daily', 'weekly']) {
      const { code, stdout } = await run([...install.slice(0, 3), '--on-calendar', calendar], booted)
      expect({ code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('started driftgate-scan.timer'),
      })
      expect(asked()).toEqual(start)
    }
    expect((await run(['schedule', 'remove'], booted)).code).toBe(0)
    expect(asked()).toEqual([
      'disable --now driftgate-scan.timer',
      'clean --what=state driftgate-scan.timer',
      'daemon-reload',
      'reset-failed driftgate-scan.service',
    ])
  })

  test.each(['service', 'timer'])('keeps a %s of that name that is not ours', async (kind) => {
    const { cwd, run } = machine()
    const path = join(cwd, `config/systemd/user/driftgate-scan.${kind}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '[Unit]\n')
    for (const directory of ['config', 'config/systemd', 'config/systemd/user'])
      chownSync(join(cwd, directory), uid, uid)
    for (const args of [install, ['schedule', 'remove']]) {
      const { code, stderr } = await run(args)
      expect(code).toBe(1)
      expect(stderr).toContain(`${path} was not written by driftgate`)
    }
    expect(readFileSync(path, 'utf8')).toBe('[Unit]\n')
    expect(readdirSync(dirname(path))).toEqual([`driftgate-scan.${kind}`])
  })

  test('is told what systemd refuses', async () => {
    const { run } = machine('enable')
    const { code, stderr } = await run(install)
    expect(code).toBe(1)
    expect(stderr).toContain('enable driftgate-scan.timer: Access denied')
  })

  test('installs nothing for a policy that is not valid', async () => {
    const { cwd, run } = machine()
    writeFileSync(join(cwd, 'policy.json'), '{ "ccm": { "resources": [{ "fiel": {} }] } }')
    const { code, stderr } = await run(install)
    expect(code).toBe(1)
    expect(stderr).toContain('policy.json:1:')
    expect(existsSync(join(cwd, 'config'))).toBe(false)
  })

  test('is shown the lines for their crontab, which only they can change', async () => {
    const { run } = machine()
    const cron = [...install.slice(2, -1), 'cron', '--randomized-delay', '0']
    const shown = await run(['schedule', 'show', ...cron])
    expect(shown.stdout).toMatch(/^0 0 \* \* \* PATH=\S+ flock -n \S+ timeout -k 60 3600 .* scan \S+\/policy\.json\n$/)
    const { code, stderr } = await run(['schedule', 'install', ...cron])
    expect(code).toBe(1)
    expect(stderr).toContain('crontab -e')
    expect(stderr).toContain(shown.stdout.trim())
  })
})

test.skipIf(cannotMount)('root is told which files of a schedule others can change', async () => {
  const cwd = withPolicy()
  for (const name of ['writable.json', 'foreign.json'])
    writePolicy(join(cwd, name), [{ name: '/nowhere', ensure: 'absent' }])
  chmodSync(join(cwd, 'writable.json'), 0o666)
  chownSync(join(cwd, 'foreign.json'), 65_534, 65_534)
  const args = ['install', 'policy.json', 'writable.json', 'foreign.json', ...DAILY, '--scheduler', 'cron']
  const inside = 'mount -t tmpfs tmpfs /etc/cron.d && exec "$@"'
  const words = ['-m', 'sh', '-c', inside, 'sh', ...PROGRAM, 'schedule', ...args]
  const { code, stdout, stderr } = await start('unshare', words, { cwd }).outcome
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'wrote /etc/cron.d/driftgate-scan\n' })
  const own = stderr.split('\n').filter((line) => line.includes('.json'))
  expect(own).toEqual([
    `driftgate: warning: writable.json runs as root, but other users can write to ${cwd}/writable.json (mode 0666)`,
    `driftgate: warning: foreign.json runs as root, but ${cwd}/foreign.json belongs to another user (65534)`,
  ])
})
