// Records what real tools print, for the tests of what reads it: test/fixtures/captured/<tool>/<version>/<situation>.json with
// the command, the system, the exit code and the lines of both outputs. `npm run record -- TOOL...` takes some tools (all), and
// `--through WORDS` puts a command before each one, such as "chroot DIR" or "ssh HOST". docs/testing.md says how to record in a host
// that is thrown away. A tool that is missing is passed over; a new one is a line in TOOLS.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const FOLDER = 'test/fixtures/captured'
const UNITS = ['cron.service', 'nosuch.service', 'getty@tty1.service', 'multi-user.target', '-.slice']
const SHOWN = 'Id,Names,LoadState,ActiveState,Result,UnitFileState,NeedDaemonReload'
const DPKG_FIELDS = '${Package}\\t${Version}\\t${Architecture}\\t${db:Status-Status}\\t${db:Status-Want}\\n'
const DPKG_NAMES = ['base-files', 'bash', 'libc6', 'systemd', 'tzdata']
const RPM_FIELDS = '%{NAME}\\t%{EPOCHNUM}\\t%{VERSION}\\t%{RELEASE}\\t%{ARCH}\\n'

/** Each with the command that tells its version, and by situation what is asked. */
const TOOLS = {
  apt: {
    version: ['apt-cache', '--version'],
    asked: {
      policy: ['apt-cache', 'policy', '--', 'bash', 'nginx', 'nosuch', 'openssl'],
      'policy-of-nothing': ['apt-cache', 'policy', '--', 'nosuch'],
    },
  },
  dpkg: {
    version: ['dpkg-query', '--version'],
    asked: {
      status: ['dpkg-query', '--status', ...DPKG_NAMES],
      list: ['dpkg-query', '--show', '--showformat', DPKG_FIELDS, ...DPKG_NAMES],
      missing: ['dpkg-query', '--status', 'nosuch'],
    },
  },
  findmnt: {
    version: ['findmnt', '--version'],
    asked: {
      kernel: ['cat', '/proc/self/mountinfo'],
      list: ['findmnt', '--kernel', '--raw', '--noheadings', '--output', 'TARGET,FSTYPE,OPTIONS'],
      json: ['findmnt', '--kernel', '--json', '--output', 'TARGET,SOURCE,FSTYPE,OPTIONS'],
    },
  },
  getent: {
    version: ['getent', '--version'],
    asked: {
      passwd: ['getent', 'passwd', 'root', 'daemon', 'nobody'],
      group: ['getent', 'group', 'root', 'daemon', 'adm', 'nogroup'],
      missing: ['getent', 'passwd', 'nosuch'],
      'missing-among-others': ['getent', 'passwd', 'root', 'nosuch'],
    },
  },
  rpm: {
    version: ['rpm', '--version'],
    asked: { list: ['rpm', '-qa', '--queryformat', RPM_FIELDS], missing: ['rpm', '-q', 'nosuch'] },
  },
  systemctl: {
    version: ['systemctl', '--version'],
    asked: {
      show: ['systemctl', 'show', '--no-pager', `--property=${SHOWN}`, '--', ...UNITS],
      'is-enabled': ['systemctl', 'is-enabled', '--', 'cron.service', 'nosuch.service', 'systemd-logind.service'],
    },
  },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { through: { type: 'string', default: '' } },
})
const through = values.through.split(' ').filter((word) => word !== '')
const names = positionals.length > 0 ? positionals : Object.keys(TOOLS)
const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(run(['cat', '/etc/os-release']).stdout)?.[1] ?? 'unknown'
for (const name of names) record(name, TOOLS[name])

function record(name, tool) {
  if (tool === undefined) throw new Error(`${name} is not one of ${Object.keys(TOOLS).join(', ')}`)
  const { error, stdout } = run(tool.version)
  const [version] = /[0-9]+(\.[0-9]+)*/.exec(stdout ?? '') ?? []
  if (error !== undefined || version === undefined) return console.log(`${name}: is not there, nothing is recorded`)
  const folder = join(FOLDER, name, version)
  mkdirSync(folder, { recursive: true })
  for (const [situation, command] of Object.entries(tool.asked)) {
    const outcome = run(command)
    // As lines, the empty one behind a last line feed too, so that a difference can be read.
    const captured = { command, system, version: stdout.split('\n')[0], code: outcome.status, ...linesOf(outcome) }
    writeFileSync(join(folder, `${situation}.json`), `${JSON.stringify(captured, undefined, 2)}\n`)
  }
  console.log(`${name}: ${Object.keys(tool.asked).length} situations in ${folder}`)
}

function linesOf({ stdout, stderr }) {
  return { stdout: stdout.split('\n'), stderr: stderr.split('\n') }
}

function run(command) {
  const [program, ...args] = [...through, ...command]
  return spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })
}
