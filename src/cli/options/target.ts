import { OperatorError } from '../../model/operator-error.ts'
import type { Position } from '../../model/problem.ts'
import type { TargetKind } from '../../model/run.ts'
import type { Layer } from '../../policy/data/merge.ts'
import type { Connection } from '../../remote/inventory/inventory.ts'
import { REMOTE_KINDS } from '../../remote/spec.ts'
import { type KindOfTarget, NEAR_KINDS, type NearKind, type OpenedTarget, parseTarget } from '../../host/open-target.ts'
import type { Target } from '../../host/target.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'

/** A target kind in the syntax of `--target`; targets to which driftgate is copied are not opened here. */
type WrittenKind = KindOfTarget & Partial<Pick<NearKind, 'open'>>

/** Target kinds in the order of the help. */
const KINDS: readonly WrittenKind[] = [
  ...NEAR_KINDS,
  ...REMOTE_KINDS.map(({ kind, form, summary, parse }) => ({
    kind,
    form,
    summary,
    rest: 'name' as const,
    accepts: (rest: string) => parse(rest) !== undefined,
  })),
]

/** A parsed target. */
export interface TargetSpec {
  /** The whole text: `root:/mnt/disk`. */
  readonly text: string
  readonly kind: TargetKind
  /** The part after the colon. */
  readonly rest: string
}

export interface ChosenTarget {
  /** Unique name in the scan. */
  readonly name: string
  readonly spec: TargetSpec
  /** Connection settings that the text cannot express. */
  readonly way: Connection
  readonly labels: Readonly<Record<string, string>>
  /** Data for its policies; overrides that of files. */
  readonly data: readonly Layer[]
  readonly position: Position
  /** Reason why it cannot be reached as its inventory describes it. */
  readonly refused?: string
}

/** Summary of the `--target` option. */
export const TARGET_SUMMARY = `Scan this target instead of this host: ${KINDS.map(({ form }) => form).join(', ')}`

/** Target forms with their summaries, for the help. */
export const TARGET_FORMS = KINDS.map(({ form, summary }) => `  ${form.padEnd(36)} ${summary}`).join('\n')

/** Option of commands that take one target of any kind. */
export const TARGET_OPTIONS = {
  target: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'SPEC',
    holds: 'target',
    complain: (text) => targetComplaint(text),
    summary: TARGET_SUMMARY,
  },
} as const satisfies OptionSpecs

/** JSON Schema of a target for editors; `targetComplaint` checks more. */
export function targetSchema(): Readonly<Record<string, unknown>> {
  const forms = KINDS.map(({ kind, rest }) => (rest === 'none' ? `${kind}$` : `${kind}:.`))
  return {
    pattern: `^(?:${forms.join('|')})`,
    description: KINDS.map(({ form, summary }) => `${form}: ${summary}`).join('\n'),
  }
}

/** Describes why a target is invalid, as the end of a sentence; undefined if valid. */
export function targetComplaint(text: string): string | undefined {
  const found = parseSpec(text)
  return 'message' in found ? found.message : undefined
}

/** Parses a target; `message` is the end of an error sentence. */
export function parseSpec(text: string): TargetSpec | { readonly message: string } {
  const parsed = parseTarget(text, KINDS)
  return 'message' in parsed ? parsed : { text, kind: parsed.of.kind, rest: parsed.rest }
}

/** Parses a target that `targetComplaint` has accepted. */
export function specOf(text: string): TargetSpec {
  const spec = parseSpec(text)
  // The option parser has rejected all others.
  if ('message' in spec) throw new Error(`"${text}" is not a target: ${spec.message}`)
  return spec
}

/** Best-effort parse of a target that is refused anyway. */
export function refusedSpec(text: string): TargetSpec {
  const spec = parseSpec(text)
  if (!('message' in spec)) return spec
  return { text, kind: KINDS.find(({ kind }) => text.startsWith(`${kind}:`))?.kind ?? 'ssh', rest: '' }
}

/** Resolves the path of a target against a directory. */
export function locateTarget(text: string, locate: (path: string) => string): string {
  const spec = parseSpec(text)
  if ('message' in spec) return text
  const isPath = KINDS.some(({ kind, rest }) => kind === spec.kind && rest === 'path')
  return isPath ? `${spec.kind}:${locate(spec.rest)}` : text
}

export async function openSpec({ kind, rest }: TargetSpec): Promise<OpenedTarget> {
  const { open } = KINDS.find((each) => each.kind === kind) ?? {}
  if (open !== undefined) return open(rest)
  return { kind: 'refused', message: `${kind}: only scan supports such targets` }
}

/** Opens the target; default: this machine. Throws an `OperatorError` if it cannot be opened. */
export async function targetOf({ target }: OptionsOf<typeof TARGET_OPTIONS>): Promise<Target> {
  const spec = parseSpec(target ?? 'local')
  const opened = 'message' in spec ? { kind: 'refused' as const, message: spec.message } : await openSpec(spec)
  if (opened.kind === 'refused') throw new OperatorError(`--target: ${opened.message}`)
  return opened.target
}
