import type { Problem } from '../../../model/problem.ts'
import { errorAt } from '../../../policy/document/lines.ts'
import type { Place, Variables } from './variable.ts'

/** A host whose variables are asked how it is reached. */
export interface Asked {
  readonly host: string
  readonly variables: Variables
  /** Whether driftgate runs as root. */
  readonly isRoot: boolean
  /** The text of a variable; undefined where there is none, or nobody knows it, and then the host is refused. */
  readonly text: (name: string) => string | undefined
  /** The text of the last of these that is given: that is how Ansible chooses among several names of an option. */
  readonly last: (names: readonly string[]) => string | undefined
  /** Which of them that is; the first where none is given. */
  readonly given: (names: readonly [string, ...string[]]) => string
  /** Says why the host cannot be looked at as its inventory has it: the variable and the rest of a sentence about it. */
  readonly refuse: (name: string, why: string) => void
}

/** A host with what refuses it so far. */
export function askHost(
  { host, place, variables, isRoot }: Pick<Asked, 'host' | 'variables' | 'isRoot'> & { readonly place: Place },
  refused: Problem[],
): Asked {
  const refuse: Asked['refuse'] = (name, why) => {
    const at = variables.get(name)?.place ?? place
    refused.push(errorAt(at.source, at.offset, `host ${host}: ${name} ${why}`))
  }
  const text: Asked['text'] = (name) => {
    const variable = variables.get(name)
    if (variable === undefined || variable.value === null) return undefined
    const known = scalarText(variable.value)
    if (variable.unusable !== undefined) refuse(name, WHY_UNUSABLE[variable.unusable])
    else if (known === undefined) refuse(name, 'must be a text')
    else return known === '' ? undefined : known
    return undefined
  }
  const last: Asked['last'] = (names) => {
    const given = names.findLast((name) => variables.has(name))
    return given === undefined ? undefined : text(given)
  }
  const given: Asked['given'] = (names) => names.findLast((name) => variables.has(name)) ?? names[0]
  return { host, variables, isRoot, text, last, given, refuse }
}

/** Undefined for a list, a map and what stands for nothing. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

const WHY_UNUSABLE = {
  encrypted: 'is encrypted by ansible-vault, which driftgate has no password for',
  template: 'is a template, which Ansible alone evaluates: write the value itself',
  unreadable: 'is a value of Python that driftgate does not read: write it as a text',
}
