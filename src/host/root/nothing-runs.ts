import { onlyRunning, type Unknown, unknown } from '../../model/observation.ts'
import type { Target } from '../target.ts'

/** Why something is not known of a system that does not run. */
export const NO_RUNNING_SYSTEM = 'the target does not run, and only a running system can tell'

/** What by construction only a running system has. */
export function only(what: string): Unknown {
  return onlyRunning(`${what}: ${NO_RUNNING_SYSTEM}`)
}

/** What the files may tell, and driftgate does not read. */
export function notRead(what: string): Unknown {
  return unknown('not-observable', `${what} of a target that does not run cannot be read yet`)
}

type Unobservable = Pick<
  Target,
  | 'kernelModules'
  | 'kernelBuilds'
  | 'access'
  | 'parameters'
  | 'audit'
  | 'tls'
  | 'mounts'
  | 'processes'
  | 'sockets'
  | 'firewall'
  | 'interfaces'
  | 'network'
  | 'trees'
  | 'run'
>

/**
 * All of a machine that is not known of its files alone. Nothing here asks the machine that driftgate runs on: what nobody has
 * taught to look at files answers that it does not know.
 */
export const NOTHING_RUNS: Unobservable = {
  kernelModules: { signatures: () => only('the kernel'), status: (name) => only(`the kernel module ${name}`) },
  kernelBuilds: {
    running: async () => only('the running kernel'),
    installed: async () => notRead('the kernels'),
    forget: () => undefined,
  },
  access: {
    beyondMode: async (paths) => paths.map(() => notRead('access lists and capabilities')),
    flags: async (paths) => paths.map(() => notRead('flags of files')),
    wayTo: () => notRead('who can change the way to a file'),
    forget: () => undefined,
  },
  parameters: {
    read: (path) => only(`the kernel parameter ${path}`),
    interfaces: () => only('network interfaces'),
    stored: () => notRead('what sets kernel parameters'),
    forget: () => undefined,
  },
  audit: { state: async () => only('audit rules') },
  tls: { certificates: async ({ host, port }) => only(`${host}:${port}`) },
  mounts: {
    now: (path) => only(`what is mounted at ${path}`),
    stored: () => notRead('mounts'),
    forget: () => undefined,
  },
  processes: { list: () => only('processes') },
  sockets: { listening: () => only('sockets'), owner: async () => only('sockets') },
  firewall: {
    rules: async () => only('the firewall'),
    stored: async () => notRead('firewall rules'),
    session: () => undefined,
  },
  interfaces: { list: async () => only('network interfaces') },
  network: {
    dial: async () => only('connections'),
    resolve: async () => only('names of the network'),
    request: async () => only('web servers'),
  },
  trees: { find: async ({ directory }) => notRead(`what lies below ${directory}`) },
  run: async ({ argv: [program] }) => ({
    kind: 'not-started',
    message: `${program} is not run: nothing is started for a target that does not run`,
  }),
}
