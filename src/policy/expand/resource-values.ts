import type { Exported, ExportedValues, ExportRead } from '../../model/exported.ts'
import { MissingValueError, type ResourceValues, TemplateError } from '../template/index.ts'
import { getJson, exists, toGoValue } from '../../templates/gjson/index.ts'
import { encodeGoJson, fromPlain, guardedMap, type GoValue } from '../../templates/govalue/index.ts'
import type { ResolvedRead } from '../read/written.ts'

/** The exported values of every resource outside of a scan. */
const NOT_SCANNING: Exported = { kind: 'unknown', because: 'is known only in a scan' }

/**
 * The exported values that a resource reads, in the form its templates see them. A missing value is an error at
 * evaluation, so that a condition can guard against it.
 */
export function resourceValues(
  reads: readonly ResolvedRead[],
  exported: ExportedValues = () => NOT_SCANNING,
): ResourceValues {
  const byName = new Map<string, Map<string, ResolvedRead>>()
  const byPath = new Map<string, ResolvedRead>()
  for (const read of reads) {
    if (read.written.kind === 'path') byPath.set(read.written.path, read)
    else byName.set(read.written.name, (byName.get(read.written.name) ?? new Map()).set(read.field, read))
  }
  const fieldsOf = (fields: ReadonlyMap<string, ResolvedRead>): GoValue =>
    guardedMap(valuesOf(fields.values(), exported), (field) => {
      const read = typeof field === 'string' ? fields.get(field) : undefined
      throw read === undefined ? notRead() : missingValueError(read, exported(read.resource))
    })
  const resources = [...byName].map(([name, fields]): [string, GoValue] => [name, fieldsOf(fields)])
  return {
    variable: guardedMap(resources, () => {
      throw notRead()
    }),
    find(path) {
      const read = byPath.get(path)
      if (read === undefined) throw notRead()
      const value = valueOf(read, exported(read.resource))
      if (value === undefined) throw missingValueError(read, exported(read.resource))
      return read.written.kind === 'path' ? valueAt(value, read.written.rest) : value
    },
  }
}

function valuesOf(reads: Iterable<ResolvedRead>, exported: ExportedValues): readonly [string, GoValue][] {
  return [...reads].flatMap((read): [string, GoValue][] => {
    const value = valueOf(read, exported(read.resource))
    return value === undefined ? [] : [[read.field, value]]
  })
}

function valueOf({ field }: ExportRead, exported: Exported): GoValue | undefined {
  if (exported.kind !== 'known' || !Object.hasOwn(exported.values, field)) return undefined
  return fromPlain(exported.values[field])
}

/** The part of a value that the rest of a path selects; without a rest, the value with its type. */
function valueAt(value: GoValue, rest: string): GoValue | undefined {
  if (rest === '') return value
  const result = getJson(encodeGoJson(value), rest.slice(1))
  if (result.exhausted) throw new TemplateError('the lookup path is too expensive')
  return exists(result) ? toGoValue(result) : undefined
}

function missingValueError({ resource, field }: ExportRead, { kind, because }: Exported): MissingValueError {
  return new MissingValueError(`it reads ${field} of ${resource}, which ${because}`, {
    resource,
    certainty: kind === 'unknown' ? 'unknown' : 'none',
  })
}

/** A template in another file, or one built at run time, can read only the values that the text of the resource reads. */
function notRead(): TemplateError {
  return new TemplateError('a value of another resource must also be read in the text of the resource itself')
}
