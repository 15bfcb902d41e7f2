// A host behind SSH, against ansible in check mode over the same connection. Both log in to a server on the loopback interface
// that this case starts, as the user who runs it.
import { spawn, spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const WORK = '50 files of a host behind SSH'
const COUNT = 50

export async function run({ driftgate, folder, makeFiles, isInstalled, median, compare }) {
  const missing = ['sshd', 'ssh-keygen', 'ansible-playbook'].filter((name) => !isInstalled(name))
  if (missing.length > 0) return [{ work: WORK, skipped: `needs ${missing.join(', ')}` }]
  const { policy } = await makeFiles(COUNT)
  const place = join(folder, 'ssh')
  await mkdir(place)
  const { port, server } = await startServer(place)
  try {
    const [node, ...words] = driftgate()
    // What is carried there is the driftgate that was built: a copy of it would be the one file.
    const program = join(place, 'driftgate')
    await writeFile(program, `#!/bin/sh\nexec ${node} ${words.join(' ')} "$@"\n`, { mode: 0o755 })
    const target = ['--target', `ssh:127.0.0.1:${port}`, '--remote-binary', program]
    const env = await clients(place, port)
    const play = ['ansible-playbook', '--check', '--inventory', '127.0.0.1,', await playbook(place)]
    const scans = [driftgate('scan', policy, '--quiet'), driftgate('scan', policy, '--quiet', ...target)]
    const [here, there] = median(scans, { runs: 5, env })
    const [ansible] = median([play], { runs: 1, env })
    return [
      compare(WORK, there, { against: 'the same here', baseline: here }),
      compare(WORK, there, { against: 'ansible --check', baseline: ansible, atMost: 0.1 }),
    ]
  } finally {
    server.kill()
  }
}

async function startServer(place) {
  for (const name of ['host', 'user']) {
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(place, name)])
  }
  await copyFile(join(place, 'user.pub'), join(place, 'authorized_keys'))
  const port = await freePort()
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(place, 'host')}`,
    `AuthorizedKeysFile ${join(place, 'authorized_keys')}`,
    `SetEnv XDG_CACHE_HOME=${join(place, 'cache')}`,
    `Subsystem sftp internal-sftp`,
    'UsePAM no',
    'StrictModes no',
    'PidFile none',
    'PermitRootLogin yes',
  ]
  await writeFile(join(place, 'sshd_config'), `${lines.join('\n')}\n`)
  if (process.geteuid() === 0) await mkdir('/run/sshd', { recursive: true })
  // It writes more than a pipe holds that is not read meanwhile.
  const server = spawn('/usr/sbin/sshd', ['-D', '-E', join(place, 'log'), '-f', join(place, 'sshd_config')], {
    stdio: 'ignore',
  })
  while (!(await isListening(port))) if (server.exitCode !== null) throw new Error('sshd did not start')
  return { port, server }
}

/** What makes the clients of both use the key, and the known hosts, of that server alone. */
async function clients(place, port) {
  const key = (await readFile(join(place, 'host.pub'), 'utf8')).trim()
  await writeFile(join(place, 'known_hosts'), `[127.0.0.1]:${port} ${key}\n`)
  const options = [
    ['User', userInfo().username],
    ['Port', port],
    ['IdentityFile', join(place, 'user')],
    ['IdentitiesOnly', 'yes'],
    ['UserKnownHostsFile', join(place, 'known_hosts')],
  ]
  const config = join(place, 'config')
  await writeFile(config, `Host *\n${options.map(([name, value]) => ` ${name} ${value}\n`).join('')}`)
  const bin = join(place, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F ${config} "$@"\n`, { mode: 0o755 })
  return { PATH: `${bin}:${process.env.PATH}`, ANSIBLE_LOCAL_TEMP: join(place, 'ansible') }
}

async function playbook(place) {
  const files = join(place, '..', `files-${COUNT}-64`)
  const tasks = await Promise.all(
    Array.from({ length: COUNT }, async (_, index) => {
      const dest = join(files, `file-${index}`)
      return { 'ansible.builtin.copy': { dest, content: await readFile(dest, 'utf8'), mode: '0644' } }
    }),
  )
  const path = join(place, 'playbook.json')
  await writeFile(path, JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]))
  return path
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
