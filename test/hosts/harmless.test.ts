import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootHost, type DebianHost, installDriftgate, prepareRootFilesystem } from './debian-host.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const PACKAGES = ['openssh-server', 'sudo', 'chrony', 'rsyslog', 'nginx', 'ufw', 'auditd']

/** What goes on by itself would be taken for what a command does. */
const QUIET = `
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ${PACKAGES.join(' ')} >/dev/null 2>&1
command -v sshd visudo cvtsudoers chronyd rsyslogd apt-config >/dev/null
systemctl stop nginx chrony rsyslog syslog.socket '*.timer' 2>/dev/null || true
systemctl is-system-running --wait >/dev/null || true
for unit in hostnamed timedated localed; do systemctl stop systemd-$unit 2>/dev/null || true; done
journalctl --sync`

/** Units and the journal as they are; files are told by when they were changed. */
const STATE = `
journalctl --sync
systemctl list-units --all --plain --no-legend | awk '{print $1, $3, $4}'
journalctl --quiet --no-pager --output=cat`

const MARK = '/srv/times/mark'

/** Times of files are as fine as the ticks of the kernel: what comes after is newer. */
const MARKED = `mkdir -p /srv/times; touch ${MARK}; until touch /srv/times/probe && [ /srv/times/probe -nt ${MARK} ]; do :; done`

const CHANGED = `find / /run /tmp /dev/shm -xdev \\( -path /proc -o -path /sys -o -path /run/log/journal -o -path /var/log/journal -o -path /srv/times \\) -prune \\
  -o \\( -newercm ${MARK} -o -newermm ${MARK} \\) -print | sort -u`

/** Of what each program refuses all. */
const MISTAKES = `
echo 'root ALL=(ALL' > /etc/sudoers.d/mistake; chmod 0440 /etc/sudoers.d/mistake
echo 'Mistake yes' >> /etc/ssh/sshd_config
echo 'mistake 1' >> /etc/chrony/chrony.conf
echo 'set $!x = ;' >> /etc/rsyslog.conf
echo 'APT { Mistake' > /etc/apt/apt.conf.d/99mistake`

/** What programs of the system do that only asking them would have caused. */
const NEVER: readonly (readonly [string, ...string[]])[] = [
  ['nginx', '-t'],
  ['hostnamectl'],
  ['timedatectl'],
  ['localectl'],
  ['ufw', 'status'],
  ['augenrules', '--check'],
  ['sudo', '-l', '-U', 'nobody'],
  ['runuser', '-u', 'nobody', 'true'],
]

describe.skipIf(unavailable)(`a host that is audited (${unavailable ?? 'booted for the test'})`, () => {
  let host: DebianHost

  beforeAll(async () => {
    if (rootFilesystem.kind === 'unavailable') return
    host = await bootHost(rootFilesystem.path)
    await installDriftgate(host)
    await host.shell(QUIET)
  }, TIMEOUT_MS)
  afterAll(() => host?.stop())

  /** How a command ends, and what is otherwise after it: units, lines of the journal, and files. */
  async function tracesOf(
    command: readonly string[],
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly traces: readonly string[] }> {
    const before = (await host.shell(STATE)).split('\n')
    await host.shell(MARKED)
    const { code, stdout } = await host.run(command)
    const files = (await host.shell(CHANGED)).split('\n').filter((path) => path !== '')
    const known = new Map<string, number>()
    for (const line of before) known.set(line, (known.get(line) ?? 0) + 1)
    const news = (await host.shell(STATE)).split('\n').filter((line) => {
      const left = known.get(line) ?? 0
      known.set(line, left - 1)
      return left <= 0
    })
    return { code, stdout, traces: [...files, ...news] }
  }

  const audited = (): ReturnType<typeof tracesOf> =>
    tracesOf(['driftgate', 'scan', '@cis-debian-12', '@linux', '@ssh', '@dev-sec-ssh', '--no-config', '--verbose'])

  test('has the same units, the same journal and the same files afterwards', { timeout: TIMEOUT_MS }, async () => {
    expect(await audited()).toMatchObject({ code: 2, traces: [] })
  })

  test('has them where no program takes its files, too', { timeout: TIMEOUT_MS }, async () => {
    await host.shell(MISTAKES)
    const { stdout, traces } = await audited()
    expect(stdout).toContain('visudo -c: /etc/sudoers.d/mistake:1:14: syntax error')
    expect(traces).toEqual([])
    await host.shell('rm /etc/sudoers.d/mistake')
  })

  test.each(NEVER.map((command) => ({ command, words: command.join(' ') })))(
    'would show what $words leaves',
    { timeout: TIMEOUT_MS },
    async ({ command }) => {
      const { code, traces } = await tracesOf(command)
      expect([code === 127, traces]).toEqual([false, expect.arrayContaining([expect.any(String)])])
    },
  )
})
