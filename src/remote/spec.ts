/** A place to which driftgate carries itself, because it cannot be looked at from here. */
export type RemoteSpec =
  | {
      readonly kind: 'ssh'
      readonly host: string
      readonly user: string | undefined
      readonly port: string | undefined
      /** The private key to show, beside those that ssh knows. */
      readonly identity?: string
    }
  /** Of the engine that is installed, where none is named. */
  | { readonly kind: 'container'; readonly name: string; readonly engine?: 'docker' | 'podman' }
  | { readonly kind: 'machine'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string; readonly container: string | undefined }

/** What stands before the colon of a target of this kind, and what has to follow it. */
export interface RemoteKind {
  readonly kind: RemoteSpec['kind']
  readonly form: string
  /** What it is, in a few words. */
  readonly summary: string
  /** Undefined where the text after the colon is not of this kind. */
  readonly parse: (text: string) => RemoteSpec | undefined
}

/**
 * Names that can be no option of the program that gets them, and nothing to a shell on the way: OpenSSH itself expands
 * host and user into commands of its configuration.
 */
const NAME = /^[\p{L}\p{N}_.][\p{L}\p{N}_.@+\\-]*\$?$/u
const HOST = /^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u
const ADDRESS = /^[0-9a-f:.]+(?:%[\w.-]+)?$/i
const PORT = /^[1-9]\d{0,4}$/
/** What container engines take for a name or an id, and systemd for the name of a machine. */
const CONTAINER = /^[A-Za-z0-9][\w.-]*$/
const MACHINE = /^[A-Za-z0-9_.][\w.-]*$/
/** A label of DNS, and several of them, which is what Kubernetes takes. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/

/** Every kind, in the order help names them. */
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

/** The place that a target names; undefined where it is not of such a kind, or not written as its kind is. */
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
