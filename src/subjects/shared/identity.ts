import { basename } from 'node:path'
import { type Acceptance, isAccepted, mapAcceptance, type ValueOrder } from '../../model/acceptance.ts'
import { known, type Reading } from '../../model/observation.ts'
import { matchesWhole } from '../../resource-type/text-order.ts'
import type { Process } from '../processes/processes.ts'
import { acceptanceOf } from './acceptance-of.ts'

/** All texts that stand for the same thing: a program's name and its path, a user's name and number. */
export type Identity = readonly string[]

/** The same where a text of the one is a text of the other. */
const IDENTITIES: ValueOrder<Identity> = {
  // What goes by no text at all is still itself.
  equals: (left, right) => left === right || left.some((text) => right.includes(text)),
  isMatch: (texts, pattern) => texts.some((text) => matchesWhole(text, pattern)),
}

/** Whether what goes by these texts is accepted: one of them is enough, for being ruled out as well. */
export function acceptsIdentity(wanted: string | Acceptance<string>, identity: Identity): boolean {
  return isAccepted(
    IDENTITIES,
    mapAcceptance(acceptanceOf(wanted), (text): Identity => [text]),
    identity,
  )
}

/** How many bytes of a name the kernel keeps. @see linux/sched.h, TASK_COMM_LEN */
const COMMAND_BYTES = 15

/** How many of the first arguments can be the script: those before it are its interpreter and one argument of that. */
const BEFORE_SCRIPT_END = 3

/**
 * What a process goes by: the name that the kernel has for it, which it can change, the path of its program or script and the
 * last part of that. The kernel's name is cut off after 15 bytes, the others are whole.
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

/** The name for showing: the whole one where the kernel has cut it off. */
export function nameOfProcess({ command, executable, arguments: words }: Process): string {
  const names = [
    ...words.slice(0, BEFORE_SCRIPT_END),
    ...(executable.kind === 'known' ? [executable.value?.path ?? ''] : []),
  ]
  return names.map((path) => basename(path)).find((name) => isCommand(command, name)) ?? command
}
