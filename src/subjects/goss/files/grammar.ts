import type { GossType } from './resource.ts'

export type ParameterKind = 'text' | 'texts' | 'number' | 'boolean' | 'duration' | 'any'

/** The attributes of a Goss type besides `title`, `meta` and `skip`. */
export interface GossGrammar {
  /** The attribute that overrides the id; the key is then only a label. */
  readonly id?: string
  /** Judged attributes, in order. */
  readonly judged: readonly string[]
  /** The required ones of the judged attributes. */
  readonly required: readonly string[]
  /** Whether the first judged attribute is the gate for the rest. */
  readonly isGated: boolean
  /** The judged attributes whose value is a text from a reader: a list for them contains patterns. */
  readonly texts: readonly string[]
  /** Attributes that configure the measurement and are not judged. */
  readonly parameters: Readonly<Record<string, ParameterKind>>
}

const RETRY = { retry_count: 'number', retry_delay: 'duration' } as const

/** The attributes of each type. @see https://github.com/goss-org/goss, docs/gossfile.md, at 489ebb1 */
export const GRAMMAR: Readonly<Record<GossType, GossGrammar>> = {
  addr: ungatedGrammar('address', ['reachable'], { parameters: { timeout: 'number', 'local-address': 'text' } }),
  command: {
    ...ungatedGrammar('exec', ['exit-status', 'stdout', 'stderr'], { parameters: { timeout: 'number', ...RETRY } }),
    texts: ['stdout', 'stderr'],
  },
  dns: gatedGrammar('resolve', ['resolvable', 'addrs'], { timeout: 'number', server: 'text', ...RETRY }),
  file: {
    ...gatedGrammar('path', [
      'exists',
      'mode',
      'owner',
      'uid',
      'group',
      'gid',
      'linked-to',
      'filetype',
      'contents',
      'size',
      'md5',
      'sha256',
      'sha512',
    ]),
    texts: ['contents'],
  },
  group: gatedGrammar('groupname', ['exists', 'gid']),
  http: {
    ...gatedGrammar('url', ['status', 'headers', 'body'], {
      method: 'text',
      'allow-insecure': 'boolean',
      'no-follow-redirects': 'boolean',
      timeout: 'number',
      'request-headers': 'texts',
      'request-body': 'text',
      username: 'text',
      password: 'text',
      'ca-file': 'text',
      'cert-file': 'text',
      'key-file': 'text',
      proxy: 'text',
    }),
    texts: ['headers', 'body'],
  },
  interface: gatedGrammar('name', ['exists', 'addrs', 'mtu']),
  'kernel-param': ungatedGrammar('name', ['value']),
  matching: {
    ...ungatedGrammar('', ['matches'], { parameters: { content: 'any', 'as-reader': 'boolean' } }),
    texts: ['matches'],
  },
  mount: gatedGrammar('mountpoint', ['exists', 'opts', 'vfs-opts', 'source', 'filesystem', 'usage'], {
    timeout: 'number',
  }),
  package: gatedGrammar('name', ['installed', 'versions'], RETRY),
  port: gatedGrammar('port', ['listening', 'ip']),
  process: ungatedGrammar('comm', ['running']),
  service: ungatedGrammar('name', ['enabled', 'running', 'runlevels'], { required: [] }),
  user: gatedGrammar('username', ['exists', 'uid', 'gid', 'home', 'groups', 'shell']),
}

/** Old names of attributes, by type. */
export const FORMER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dns: { resolveable: 'resolvable' },
  file: { contains: 'contents' },
}

function gatedGrammar(id: string, judged: readonly string[], parameters: GossGrammar['parameters'] = {}): GossGrammar {
  return { id, judged, required: judged.slice(0, 1), isGated: true, texts: [], parameters }
}

function ungatedGrammar(
  id: string,
  judged: readonly string[],
  { required = judged.slice(0, 1), parameters = {} }: Partial<Pick<GossGrammar, 'required' | 'parameters'>> = {},
): GossGrammar {
  const common = { judged, required, isGated: false, texts: [], parameters }
  return id === '' ? common : { ...common, id }
}
