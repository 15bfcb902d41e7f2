import { trimBlanksOfC, withBlanksOfC } from '../../../settings/blanks.ts'
import { type Acceptance, acceptedFor, isAccepted } from '../../../model/acceptance.ts'
import { FIELD_TEXTS } from '../../../resource-type/text-order.ts'
import { isSameArgument, type KernelArgument, occurrencesOf } from '../settings/command-line.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'

export interface BootArgumentDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly value?: string | Acceptance<string> | undefined
  readonly if_absent: 'create' | 'compliant'
  readonly recovery: boolean
}

/** Mismatch of a command line. */
export interface Wrong {
  /** Observed value: empty for an argument without a value, null for a missing one. */
  readonly observed: string | null
  readonly why?: string
}

/**
 * Mismatch of an argument in a command line; undefined if compliant. Usually the last occurrence is effective, but not always
 * (`audit=0 audit=1` starts without auditing), so every occurrence must be accepted.
 */
export function judge(wanted: BootArgumentDesired, commandLine: string): Wrong | undefined {
  const found = occurrencesOf(wanted.name, commandLine)
  const last = found.at(-1)
  if (last === undefined) {
    return wanted.ensure === 'absent' || wanted.if_absent === 'compliant' ? undefined : { observed: null }
  }
  const bad = found.findLast((each) => !isKept(wanted, each))
  if (bad === undefined) return undefined
  const observed = bad.value ?? ''
  if (bad === last) return { observed }
  return {
    observed,
    why: `${formatArgument(bad)} precedes ${formatArgument(last)}, and the last occurrence does not override it for every argument`,
  }
}

/** Whether an occurrence is accepted. */
export function isKept({ ensure, value }: BootArgumentDesired, argument: KernelArgument): boolean {
  if (ensure === 'absent') return false
  if (value === undefined) return true
  return argument.value !== null && isAccepted(FIELD_TEXTS, acceptanceOf(value), argument.value)
}

/** Word that a fix adds for a missing argument; empty if none is required, undefined without a nearest accepted value. */
export function wordFor(wanted: BootArgumentDesired, commandLine: string): string | undefined {
  const { name, ensure, value, if_absent: ifAbsent } = wanted
  if (ensure === 'absent' || ifAbsent === 'compliant') return ''
  if (value === undefined) return name
  const found = occurrencesOf(name, commandLine).at(-1)?.value
  const chosen = acceptedFor(FIELD_TEXTS, acceptanceOf(value), found ?? undefined)
  return chosen === undefined ? undefined : `${name}=${chosen}`
}

/** Command line without wrong occurrences, and with the word if no occurrence is left. */
export function correctCommandLine(wanted: BootArgumentDesired, commandLine: string, word: string): string {
  const kept = commandLine.replaceAll(
    withBlanksOfC(/(\s*)((?:[^\s"]|"[^"]*(?:"|$))+)/g),
    (whole, _space: string, each: string) => {
      const [argument] = occurrencesOf(wanted.name, each)
      return argument === undefined || isKept(wanted, argument) ? whole : ''
    },
  )
  if (word === '' || occurrencesOf(wanted.name, kept).length > 0) return kept
  const [, text = '', end = ''] = withBlanksOfC(/^([^]*?)(\s*)$/).exec(kept) ?? []
  return `${text}${text === '' ? '' : ' '}${word}${end}`
}

/** Removes wrong occurrences from a variable assignment in a shell file. */
export function withoutWrong(wanted: BootArgumentDesired, line: string): string {
  return line.replaceAll(
    withBlanksOfC(/([\s"'=])([\w.-]+)(?:=([^\s"'`$\\]*))?(?=[\s"']|$)/g),
    (whole, before: string, name: string, value: string | undefined) => {
      if (!isSameArgument(name, wanted.name) || isKept(wanted, { name, value: value ?? null })) return whole
      return trimBlanksOfC(before)
    },
  )
}

function formatArgument({ name, value }: KernelArgument): string {
  return value === null ? name : `${name}=${value}`
}
