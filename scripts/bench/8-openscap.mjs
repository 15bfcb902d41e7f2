// The same rules on the same host, judged by OpenSCAP and by driftgate: the time of both and the memory of both. The host is a
// Debian that is booted for it, as a test has one, with as many files as a small server has.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { comparableContent, comparedRules, PROFILE } from '../openscap/content.mjs'

const HOSTS = fileURLToPath(new URL('../../test/hosts/', import.meta.url))
const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const CONTENT = '/usr/share/xml/scap/ssg/content/ssg-debian11-ds.xml'
const INSIDE = '/opt/driftgate'
const RUNS = 3
const FILES = 100_000
const PACKAGES = ['openscap-scanner', 'ssg-debian', 'auditd', 'sudo']

export async function run(tools) {
  const { isInstalled } = tools
  const work = 'rules that OpenSCAP has, too'
  if (process.getuid?.() !== 0) return [{ work, skipped: 'needs root' }]
  if (!isInstalled('time')) return [{ work, skipped: 'needs /usr/bin/time' }]
  const built = spawnSync(`${HOSTS}build-debian.sh`, PACKAGES, { encoding: 'utf8' })
  if (built.status !== 0) return [{ work, skipped: built.stderr.trim().split('\n').at(-1) }]
  const binds = [`--bind-ro=${process.execPath}:/usr/local/bin/node`, `--bind-ro=${PROJECT}:${INSIDE}`]
  const host = spawn(`${HOSTS}boot-debian.sh`, [built.stdout.trim(), ...binds], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [init] = await once(host.stdout.setEncoding('utf8'), 'data')
    return rowsOf(init.trim(), tools)
  } finally {
    host.kill('SIGTERM')
    await once(host, 'close')
  }
}

function rowsOf(init, { compare, timed }) {
  const enter = ['nsenter', '--target', init, '--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wd', '--']
  const inHost = (command, input) => {
    const { status, stdout, stderr } = spawnSync(enter[0], [...enter.slice(1), ...command], {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`)
    return stdout
  }
  const install = `apt-get update -q && apt-get install -qq -y --no-install-recommends ${PACKAGES.join(' ')}`
  inHost(['sh', '-c', `${install} && mkdir /srv/data && cd /srv/data && seq ${FILES} | xargs touch`])
  // Without a network that is up oscap gives up.
  for (const args of [
    'link add host0 type veth peer name peer0',
    'address add 192.0.2.2/24 dev host0',
    'link set host0 up',
  ])
    spawnSync('nsenter', ['--target', init, '--net', '--', 'ip', ...args.split(' ')])
  inHost(['sh', '-c', 'cat >/root/content.xml'], comparableContent(inHost(['cat', CONTENT])))
  const { rules } = comparedRules()
  const resources = [...new Set(Object.values(rules).flatMap((compared) => compared.resource ?? compared))]
  const oscap = ['oscap', 'xccdf', 'eval', '--profile', PROFILE, '/root/content.xml']
  const only = resources.flatMap((id) => ['--only', id.replaceAll(',', '?')])
  const driftgate = ['node', `${INSIDE}/dist/bin/driftgate.js`, 'scan', '@cis-debian-12', '--quiet', ...only]
  const commands = [oscap, driftgate].map((command) => [...enter, ...command])
  const [theirs, ours] = timed(commands, { runs: RUNS, exitCodes: [0, 2, 3] })
  const work = `${Object.keys(rules).length} rules, ${FILES.toLocaleString('en')} files`
  return [
    {
      work,
      columns: [
        { name: 'driftgate', ...ours },
        { name: 'oscap', ...theirs },
      ],
      missing: [],
    },
    compare(work, ours.cpuMs, { against: 'oscap', baseline: theirs.cpuMs, fasterBy: 10, unit: 'ms of CPU' }),
    compare(`${work}, elapsed`, ours.elapsedMs, { against: 'oscap', baseline: theirs.elapsedMs }),
    compare(`${work}, peak memory`, ours.mebibytes, { against: 'oscap', baseline: theirs.mebibytes, unit: 'MiB' }),
  ]
}
