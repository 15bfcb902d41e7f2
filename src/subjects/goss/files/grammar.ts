import type { GossType } from './resource.ts'

/** What an attribute that is not judged holds. */
export type ParameterKind = 'text' | 'texts' | 'number' | 'boolean' | 'duration' | 'any'

/** What a type of Goss takes beside `title`, `meta` and `skip`. */
export interface GossGrammar {
  /** The attribute that takes the place of the id, which is then a mere label. */
  readonly id?: string
  /** What is judged, in this order. */
  readonly judged: readonly string[]
  /** Which of these have to be there. */
  readonly required: readonly string[]
  /** The first of them says whether the rest exists. */
  readonly isGated: boolean
  /** Which of them are text from a reader, so that a list is one of patterns. */
  readonly texts: readonly string[]
  /** What says how to look, and is not judged. */
  readonly parameters: Readonly<Record<string, ParameterKind>>
}

const RETRY = { retry_count: 'number', retry_delay: 'duration' } as const

/** The attributes of each type. @see https://github.com/goss-org/goss, docs/gossfile.md, at 489ebb1 */
export const GRAMMAR: Readonly<Record<GossType, GossGrammar>> = {
  addr: ungated('address', ['reachable'], { parameters: { timeout: 'number', 'local-address': 'text' } }),
  command: {
    ...ungated('exec', ['exit-status', 'stdout', 'stderr'], { parameters: { timeout: 'number', ...RETRY } }),
    texts: ['stdout', 'stderr'],
  },
  dns: gated('resolve', ['resolvable', 'addrs'], { timeout: 'number', server: 'text', ...RETRY }),
  file: {
    ...gated('path', [
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
  group: gated('groupname', ['exists', 'gid']),
  http: {
    ...gated('url', ['status', 'headers', 'body'], {
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
  interface: gated('name', ['exists', 'addrs', 'mtu']),
  'kernel-param': ungated('name', ['value']),
  matching: {
    ...ungated('', ['matches'], { parameters: { content: 'any', 'as-reader': 'boolean' } }),
    texts: ['matches'],
  },
  mount: gated('mountpoint', ['exists', 'opts', 'vfs-opts', 'source', 'filesystem', 'usage'], { timeout: 'number' }),
  package: gated('name', ['installed', 'versions'], RETRY),
  port: gated('port', ['listening', 'ip']),
  process: ungated('comm', ['running']),
  service: ungated('name', ['enabled', 'running', 'runlevels'], { required: [] }),
  user: gated('username', ['exists', 'uid', 'gid', 'home', 'groups', 'shell']),
}

/** Older names of attributes, by type. */
export const FORMER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dns: { resolveable: 'resolvable' },
  file: { contains: 'contents' },
}

function gated(id: string, judged: readonly string[], parameters: GossGrammar['parameters'] = {}): GossGrammar {
  return { id, judged, required: judged.slice(0, 1), isGated: true, texts: [], parameters }
}

function ungated(
  id: string,
  judged: readonly string[],
  { required = judged.slice(0, 1), parameters = {} }: Partial<Pick<GossGrammar, 'required' | 'parameters'>> = {},
): GossGrammar {
  const common = { judged, required, isGated: false, texts: [], parameters }
  return id === '' ? common : { ...common, id }
}
