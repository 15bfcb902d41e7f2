import type { ExportedValues } from '../../../model/exported.ts'
import type { Position } from '../../../model/problem.ts'
import type { ExportedReads } from '../../../policy/runnable/policy.ts'
import type { Redactor } from '../../../policy/secrets/redactor.ts'
import { noteTexts } from '../../../policy/secrets/texts.ts'
import { fromPlain, type GoValue } from '../../../templates/govalue/index.ts'
import type { ResolvedRead } from '../../../policy/read/written.ts'
import type { Located } from './find.ts'

/** Values of earlier resources that a resource reads, as its audit found them. */
export interface ReadValues {
  /** Values for evaluating templates; undefined if the audit did not get that far. */
  readonly of: ExportedValues | undefined
  /** Value of `Resources["name"].field`. */
  readonly member: (name: string, field: string) => ReadExport | undefined
  /** Value of a lookup of `resources.` and this path. */
  readonly path: (path: string) => ReadExport | undefined
}

export interface ReadExport {
  readonly resource: string
  readonly field: string
  readonly value: GoValue | undefined
  /** Reason why the value is missing, as the end of a sentence about the resource. */
  readonly because: string
  readonly isSecret: boolean
  /** Position of the resource. */
  readonly position: Position
}

/** Finds the values that a resource reads in the exports of its audit; registers secrets for redaction. */
export function readValues(
  { document, declaration }: Located,
  store: ExportedReads | undefined,
  redactor: Redactor,
): ReadValues {
  const { reads = [] } = document.written.get(declaration.id) ?? {}
  const explained = (read: ResolvedRead | undefined): ReadExport | undefined => {
    if (read === undefined) return undefined
    const { resource, field } = read
    const found = store?.of(resource) ?? { kind: 'unknown', because: 'was not evaluated' }
    const value = found.kind === 'known' ? found.values[field] : undefined
    const isSecret = store?.areSecretFor({ ...declaration, reads: [read] }) === true
    if (isSecret) noteTexts(value, redactor)
    const { position = declaration.position } = document.policy.resources.find(({ id }) => id === resource) ?? {}
    return {
      resource,
      field,
      value: value === undefined ? undefined : fromPlain(value),
      because: found.because,
      isSecret,
      position,
    }
  }
  // Registers every secret before any output.
  reads.forEach(explained)
  return {
    of: store?.of,
    member: (name, field) =>
      explained(
        reads.find((read) => read.written.kind === 'member' && read.written.name === name && read.field === field),
      ),
    path: (path) => explained(reads.find(({ written }) => written.kind === 'path' && written.path === path)),
  }
}
