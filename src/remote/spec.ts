/** A target to which driftgate is copied, because it cannot be scanned from here. */
export type RemoteSpec =
  | {
      readonly kind: 'ssh'
      readonly host: string
      readonly user: string | undefined
      readonly port: string | undefined
      /** Private key in addition to those of ssh. */
      readonly identity?: string
    }
  /** Default engine: the installed one. */
  | { readonly kind: 'container'; readonly name: string; readonly engine?: 'docker' | 'podman' }
  | { readonly kind: 'machine'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string; readonly container: string | undefined }

/** Syntax of a kind of remote target. */
export interface RemoteKind {
  readonly kind: RemoteSpec['kind']
  readonly form: string
  readonly summary: string
  /** Parses the text after the colon; undefined if invalid. */
  readonly parse: (text: string) => RemoteSpec | undefined
}

/**
 * Names that cannot be options of the called program or shell syntax: OpenSSH expands host and user in commands of its
 * configuration.
 */
const NAME = /^[\p{L}\p{N}_.][\p{L}\p{N}_.@+\\-]*\$?$/u
const HOST = /^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u
const ADDRESS = /^[0-9a-f:.]+(?:%[\w.-]+)?$/i
const PORT = /^[1-9]\d{0,4}$/
/** Names or ids in container engines, and machine names in systemd. */
const CONTAINER = /^[A-Za-z0-9][\w.-]*$/
const MACHINE = /^[A-Za-z0-9_.][\w.-]*$/
/** A DNS label and a DNS subdomain, as in Kubernetes names. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/

/** All kinds in the order of the help. */
export const REMOTE_KINDS: readonly RemoteKind[] = [
  {
    kind: 'ssh',
    form: 'ssh:[USER@]HOST[:PORT]',
    summary: 'a host reachable with ssh',
    parse: parseSsh,
  },
  {
    kind: 'container',
    form: 'container:NAME',
    summary: 'a running container of Docker or Podman',
    parse: (name) => (CONTAINER.test(name) ? { kind: 'container', name } : undefined),
  },
  {
    kind: 'pod',
    form: 'pod:NAMESPACE/NAME[/CONTAINER]',
    summary: 'a running pod reachable with kubectl',
    parse: parsePod,
  },
  {
    kind: 'machine',
    form: 'machine:NAME',
    summary: 'a running machine of systemd-machined',
    parse: (name) => (MACHINE.test(name) ? { kind: 'machine', name } : undefined),
  },
]

/** Parses a remote target; undefined if it has another kind or is invalid. */
export function parseRemote(target: string): RemoteSpec | undefined {
  const kind = REMOTE_KINDS.find(({ kind: name }) => target.startsWith(`${name}:`))
  return kind?.parse(target.slice(kind.kind.length + 1))
}

function parseSsh(text: string): RemoteSpec | undefined {
  const at = text.lastIndexOf('@')
  const user = at < 0 ? undefined : text.slice(0, at)
  if (user !== undefined && !NAME.test(user)) return undefined
  const place = text.slice(at + 1)
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(place) ?? []
  const host = bracketed ?? plain ?? place
  const isHost =
    bracketed === undefined && plain !== undefined ? HOST.test(host) : ADDRESS.test(host) && host.includes(':')
  if (!isHost || (port !== undefined && (!PORT.test(port) || Number(port) > 65_535))) return undefined
  return { kind: 'ssh', host, user, port }
}

function parsePod(text: string): RemoteSpec | undefined {
  const [namespace = '', name = '', container, ...others] = text.split('/')
  const isPod = LABEL.test(namespace) && SUBDOMAIN.test(name) && (container === undefined || LABEL.test(container))
  return isPod && others.length === 0 ? { kind: 'pod', namespace, name, container } : undefined
}
