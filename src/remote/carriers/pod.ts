import type { RemoteSpec } from '../spec.ts'
import type { Carrier } from './carrier.ts'
import { meaningOf, NO_SHELL } from './meaning.ts'

/** kubectl, so that its configuration, current context and permissions apply. */
export function podCarrier({ namespace, name, container }: Extract<RemoteSpec, { kind: 'pod' }>): Carrier {
  const place = [`--namespace=${namespace}`, ...(container === undefined ? [] : [`--container=${container}`]), name]
  return {
    name: `pod:${namespace}/${name}${container === undefined ? '' : `/${container}`}`,
    // By default, kubectl waits a minute for a pod that does not run.
    commandLine: (command) => [
      'kubectl',
      'exec',
      '--stdin',
      '--quiet',
      '--pod-running-timeout=5s',
      ...place,
      '--',
      ...command,
    ],
    explain: (said) => meaningOf(said, MEANINGS),
  }
}

const MEANINGS = [
  NO_SHELL,
  [/namespaces "[^"]*" not found/, 'no such namespace in the cluster of the current context'],
  [/pods "[^"]*" not found/, 'no such pod in the namespace'],
  [/container \S+ is not valid for pod|container \S+ not found in pod/, 'no such container in the pod'],
  [
    /completed pod|deleted pod|container not found \(|pod \S+ is not running|does not have a host assigned/,
    'it is not running',
  ],
  [
    /\(Forbidden\)|is forbidden:/,
    'the cluster does not let you run commands in it: request permission to create pods/exec',
  ],
  [/must be logged in|\(Unauthorized\)/, 'the cluster rejected your credentials: log in'],
  [/current-context is not set|context "[^"]*" does not exist/, 'kubectl has no cluster: set its context'],
  [
    /connection to the server .* was refused|Unable to connect to the server|TLS handshake timeout|i\/o timeout|no such host/,
    'the cluster does not answer: check the context of kubectl and the network',
  ],
] as const
