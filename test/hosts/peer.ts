import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DebianHost } from './debian-host.ts'

/** Another machine beside a host: a namespace of networks with a cable to it. */
export interface Peer {
  /** Its key for SSH, as a line of authorized_keys. */
  readonly publicKey: string
  /** Lays the cable, which the network of a host loses when that reboots. */
  readonly connect: (host: DebianHost) => Promise<void>
  /** Runs a command in the host over SSH with the key alone, and returns what it prints. */
  readonly ssh: (user: string, command: string) => Promise<string>
  /** The same for a command of sftp. */
  readonly sftp: (user: string, command: string) => Promise<string>
  readonly stop: () => void
}

const run = promisify(execFile)
// Of the addresses that are for documentation.
const HOST_ADDRESS = '192.0.2.2'
const PEER_ADDRESS = '192.0.2.1'
const UNKNOWN_HOST = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR']

/** Starts one. It ends with this process. */
export async function startPeer(): Promise<Peer> {
  const script = 'ip link set lo up && echo up && exec sleep infinity'
  const namespace = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--net', 'sh', '-c', script])
  await once(namespace.stdout, 'data')
  const pid = String(namespace.pid)
  const inPeer = ['--target', pid, '--net', '--']
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-peer-'))
  const key = join(directory, 'key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const options = [...UNKNOWN_HOST, '-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes', '-i', key]
  return {
    publicKey: readFileSync(`${key}.pub`, 'utf8').trim(),
    connect: async (host) => {
      const inHost = ['--target', host.init(), '--net', '--']
      const cable = ['ip', 'link', 'add', 'host0', 'type', 'veth', 'peer', 'name', 'peer0', 'netns', pid]
      await run('nsenter', [...inHost, ...cable])
      await run('nsenter', [...inHost, 'ip', 'address', 'add', `${HOST_ADDRESS}/24`, 'dev', 'host0'])
      await run('nsenter', [...inHost, 'ip', 'link', 'set', 'host0', 'up'])
      await run('nsenter', [...inPeer, 'ip', 'address', 'add', `${PEER_ADDRESS}/24`, 'dev', 'peer0'])
      await run('nsenter', [...inPeer, 'ip', 'link', 'set', 'peer0', 'up'])
    },
    ssh: async (user, command) => {
      const { stdout } = await run('nsenter', [...inPeer, 'ssh', ...options, `${user}@${HOST_ADDRESS}`, command])
      return stdout
    },
    sftp: async (user, command) => {
      const words = ['sftp', ...options, '-b', '-', `${user}@${HOST_ADDRESS}`]
      const script = `printf '%s\\n' '${command}' | ${words.join(' ')}`
      const { stdout } = await run('nsenter', [...inPeer, 'sh', '-c', script])
      return stdout
    },
    stop: () => {
      namespace.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
