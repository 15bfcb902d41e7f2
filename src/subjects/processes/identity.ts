import { basename } from 'node:path'
import { type Acceptance, isAccepted, mapAcceptance, type ValueOrder } from '../../model/acceptance.ts'
import { known, type Reading } from '../../model/observation.ts'
import { matchesWhole } from '../../resource-type/text-order.ts'
import type { Process } from './processes.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'

/** All names of one process or user: name and path of a program, name and id of a user. */
export type Identity = readonly string[]

/** Identities are equal if they share a name. */
const IDENTITIES: ValueOrder<Identity> = {
  // An identity without names equals itself.
  equals: (left, right) => left === right || left.some((text) => right.includes(text)),
  isMatch: (texts, pattern) => texts.some((text) => matchesWhole(text, pattern)),
}

/** Whether one of the names is accepted; one excluded name excludes the identity. */
export function acceptsIdentity(wanted: string | Acceptance<string>, identity: Identity): boolean {
  return isAccepted(
    IDENTITIES,
    mapAcceptance(acceptanceOf(wanted), (text): Identity => [text]),
    identity,
  )
}

/** Maximum length of the kernel's process name in bytes. @see linux/sched.h, TASK_COMM_LEN */
const COMMAND_BYTES = 15

/** Number of leading arguments that may contain the script: the interpreter, one argument of it, and the script. */
const BEFORE_SCRIPT_END = 3

/**
 * Names of a process: the kernel's name, which the process can change, the path of its program or script, and its base name. Only
 * the kernel's name is truncated, to 15 bytes.
 */
export function identityOf(process: Process): Reading<Identity> {
  const { command, executable } = process
  if (executable.kind === 'unknown') return executable
  const started = process.arguments.slice(0, BEFORE_SCRIPT_END).filter((each) => isCommand(command, basename(each)))
  const paths = [...(executable.value === null ? [] : [executable.value.path]), ...started]
  return known([...new Set([command, ...paths.flatMap((path) => [basename(path), path])])])
}

function isCommand(command: string, name: string): boolean {
  return name !== '' && Buffer.from(name).subarray(0, COMMAND_BYTES).equals(Buffer.from(command))
}

/** Display name of a process: the full name if the kernel has truncated it. */
export function nameOfProcess({ command, executable, arguments: words }: Process): string {
  const names = [
    ...words.slice(0, BEFORE_SCRIPT_END),
    ...(executable.kind === 'known' ? [executable.value?.path ?? ''] : []),
  ]
  return names.map((path) => basename(path)).find((name) => isCommand(command, name)) ?? command
}
