// Makes the pictures of README in docs/images: `npm run pictures`. scan.svg shows the run that README tells; fleet.png is the web view
// of a directory of reports. Needs root (host name and /srv of its own) and Chromium.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { pictureOf } from './pictures/terminal.mjs'

const project = fileURLToPath(new URL('..', import.meta.url))
const driftgate = [process.execPath, join(project, 'dist/bin/driftgate.js')]
const images = join(project, 'docs/images')
const HOUR_MS = 3_600_000

/** Files below the roots, with the mode that the policy wants. */
const FILES = { 'etc/shadow': '0640', 'etc/ssh/sshd_config': '0600', 'etc/crontab': '0600', 'etc/motd': '0644' }

const TITLES = {
  'etc/shadow': ['accounts-01', 'critical', '/etc/shadow is readable by root and group shadow only'],
  'etc/ssh/sshd_config': ['ssh-01', 'high', 'sshd_config is readable by root only'],
  'etc/crontab': ['cron-02', 'medium', '/etc/crontab is readable by root only'],
  'etc/motd': ['banner-01', 'low', '/etc/motd is writable by root only'],
}

/** The hosts, with the modes that differ. A report of a silent host is three hours old. */
const HOSTS = {
  app01: { modes: {} },
  app02: { modes: { 'etc/ssh/sshd_config': '0644' } },
  db01: { modes: {}, silent: true },
  db02: { modes: { 'etc/shadow': '0644' } },
  web01: { modes: { 'etc/crontab': '0644', 'etc/motd': '0666' } },
  web02: { modes: {} },
  web03: { modes: {} },
}

const folder = mkdtempSync(join(tmpdir(), 'driftgate-pictures-'))
try {
  const readme = readFileSync(join(project, 'README.md'), 'utf8')
  writeFileSync(join(images, 'scan.svg'), pictureOf(scanOf(readme)))
  await fleet()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The commands of README's first console block, and what they print on a terminal with colours. */
function scanOf(readme) {
  const [, policy] = /<!-- file: web\.yaml -->\n\n```yaml\n([\s\S]*?)```/.exec(readme)
  const [, block] = /```console\n(\$ mkdir [\s\S]*?)```/.exec(readme)
  writeFileSync(join(folder, 'web.yaml'), policy)
  const commands = [...block.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command)
  const script = `code=0; hostname web01; mount -t tmpfs none /srv; driftgate() { ${driftgate.join(' ')} "$@"; }
    for command in "$@"; do printf '\\033[2m$\\033[22m %s\\n' "$command"; eval "(exit $code); $command"; code=$?; done`
  const { stdout } = spawnSync('unshare', ['--uts', '--mount', 'bash', '-c', script, 'bash', ...commands], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '1' },
  })
  return stdout
}

/** Scans hosts that are directories, one compliant and the others not, and takes a picture of the fleet's page. */
async function fleet() {
  const reports = join(folder, 'reports')
  mkdirSync(reports)
  writeFileSync(join(folder, 'site.yaml'), policy())
  for (const [host, { modes, silent = false }] of Object.entries(HOSTS)) {
    const report = join(reports, `${host}.json`)
    const target = `root:${rootOf(host, modes)}`
    const args = ['scan', join(folder, 'site.yaml'), '--target', target, '--quiet', '--report', `json=${report}`]
    spawnSync(driftgate[0], [driftgate[1], ...args])
    if (silent) writeFileSync(report, threeHoursEarlier(readFileSync(report, 'utf8')))
  }
  const roster = [...Object.keys(HOSTS), 'mail01'].map((name) => ({ name, labels: { role: name.replace(/\d+/, '') } }))
  writeFileSync(join(folder, 'hosts.yaml'), JSON.stringify({ hosts: roster }))
  const args = ['fleet', 'serve', '--from', reports, '--roster', join(folder, 'hosts.yaml'), '--listen', '127.0.0.1:0']
  const server = spawn(driftgate[0], [driftgate[1], ...args, '--interval', '1h'])
  try {
    const [line] = await once(server.stderr, 'data')
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
    const page = await browser.newPage({ viewport: { width: 1000, height: 780 } })
    await page.goto(/http:\/\/\S+/.exec(line)[0])
    await page.getByText('mail01').first().waitFor()
    await page.screenshot({ path: join(images, 'fleet.png') })
    await browser.close()
  } finally {
    server.kill()
  }
}

/** A root with an administrator and the files of the policy. */
function rootOf(host, modes) {
  const root = join(folder, host)
  for (const [path, mode] of Object.entries({ ...FILES, ...modes })) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), '')
    chmodSync(join(root, path), Number.parseInt(mode, 8))
  }
  writeFileSync(join(root, 'etc/hostname'), `${host}\n`)
  writeFileSync(join(root, 'etc/os-release'), 'ID=debian\nVERSION_ID="12"\n')
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
  return root
}

function policy() {
  const controls = Object.entries(TITLES).map(([path, [id, severity, title]]) => ({
    id,
    severity,
    title,
    resources: [`file#/${path}`],
  }))
  const resources = Object.entries(FILES).map(([path, mode]) => ({
    file: { name: `/${path}`, ensure: 'present', owner: 'root', group: 'root', mode },
  }))
  return JSON.stringify({ policy: { id: 'site', title: 'House standard', controls }, ccm: { resources } })
}

/** A report with its times moved. */
function threeHoursEarlier(report) {
  return report.replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (_, time) =>
    JSON.stringify(new Date(Date.parse(time) - 3 * HOUR_MS).toISOString()),
  )
}
