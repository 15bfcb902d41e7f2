import process from 'node:process'
import { OperatorError } from '../../model/operator-error.ts'
import { findProgram } from '../../host/live/find-program.ts'
import type { RemoteSpec } from '../spec.ts'
import type { Carrier } from './carrier.ts'
import { meaningOf, NO_SHELL } from './meaning.ts'

/** Search order: podman may install itself as `docker` as well. */
const ENGINES = ['docker', 'podman']

/** The container engine's client. Its users are root in the container, so the scan runs as root. */
export function containerCarrier({
  name: container,
  engine: wanted,
}: Extract<RemoteSpec, { kind: 'container' }>): Carrier {
  const name = `container:${container}`
  return {
    name,
    commandLine: (command) => [wanted ?? engine(name), 'exec', '--interactive', '--user=0', container, ...command],
    explain: (said) => meaningOf(said, MEANINGS),
  }
}

function engine(name: string): string {
  const directories = (process.env['PATH'] ?? '').split(':').filter((directory) => directory.startsWith('/'))
  const found = ENGINES.find((program) => findProgram(program, directories) !== undefined)
  if (found === undefined)
    throw new OperatorError(`${name}: cannot be reached: neither docker nor podman is installed here`)
  return found
}

const MEANINGS = [
  NO_SHELL,
  [/no such container/i, 'no such container'],
  [/is paused/i, 'it is paused: unpause it'],
  [/is restarting/i, 'it is restarting: wait until it runs'],
  [/is not running|on running containers|container state improper/i, 'it is not running: start it'],
  [
    /permission denied while trying to connect/i,
    'this user may not use docker here: access is limited to root and the group docker',
  ],
  [
    /cannot connect to the docker daemon|failed to connect to the docker API|cannot connect to podman/i,
    'the daemon of its container engine does not answer: start it',
  ],
] as const
