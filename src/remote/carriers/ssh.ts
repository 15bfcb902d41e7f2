import type { RemoteSpec } from '../spec.ts'
import type { Carrier } from './carrier.ts'
import { type Meaning, meaningOf } from './meaning.ts'

/**
 * Options that override the user's configuration: no prompts, no forwarding, and dead connections are detected. An
 * existing shared connection is used, but none is left behind.
 */
const FIXED = [
  '-T',
  '-x',
  '-a',
  'BatchMode=yes',
  'ClearAllForwardings=yes',
  'RequestTTY=no',
  'RemoteCommand=none',
  'EscapeChar=none',
  'PermitLocalCommand=no',
  'ControlMaster=no',
  'ForkAfterAuthentication=no',
  'StdinNull=no',
  'LogLevel=INFO',
  'ConnectTimeout=30',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=4',
].flatMap((word) => (word.startsWith('-') ? [word] : ['-o', word]))

/** OpenSSH's client, so that the user's configuration, keys, agent, jump hosts and known hosts apply. */
export function sshCarrier({ host, user, port, identity }: Extract<RemoteSpec, { kind: 'ssh' }>): Carrier {
  const place = [
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', port]),
    ...keyOption(identity),
  ]
  return {
    name: `ssh:${user === undefined ? '' : `${user}@`}${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`,
    commandLine: (command) => ['ssh', ...FIXED, ...place, '--', host, command.map(quote).join(' ')],
    explain: (said) => meaningOf(said, MEANINGS),
  }
}

/** Quoted as in ssh_config, whose syntax `-o` uses. */
function keyOption(identity: string | undefined): readonly string[] {
  return identity === undefined ? [] : ['-o', `IdentityFile="${identity}"`]
}

/** sshd passes the words to the login shell. Between these quotes, they are literal in any shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** In the order of the client's own messages. */
const MEANINGS: readonly Meaning[] = [
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    'its host key has changed: find out why; if the host is the same, remove its old key with "ssh-keygen -R"',
  ],
  [
    /No \S+ host key is known for|Host key verification failed/,
    'its host key is unknown: connect once with ssh to verify and accept it, or add it to known_hosts',
  ],
  [/Could not resolve hostname/, 'its name cannot be resolved'],
  [/Connection refused/, 'the connection was refused: no SSH server listens there'],
  [/Connection timed out|Operation timed out|timed out during banner exchange/, 'it did not answer in time'],
  [/No route to host|Network is unreachable/, 'no route to the host'],
  [
    /Too many authentication failures/,
    'too many authentication failures: set the right key in the configuration of ssh',
  ],
  [/Permission denied \(/, 'permission denied: no key is accepted for this user, and password prompts are disabled'],
  [/This account is currently not available|This service allows sftp connections only/, 'the user has no shell there'],
]
