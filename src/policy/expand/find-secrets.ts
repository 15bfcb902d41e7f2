import { withLines } from '../../model/secret-text.ts'
import type { Annotation } from '../data/annotations.ts'
import { type DataMap, valueAt } from '../data/merge.ts'
import { createRedactor } from '../secrets/redactor.ts'
import { secretTextsOfData } from '../secrets/texts.ts'
import { formatGoValue, type GoValue, isGoList, isGoMap } from '../../templates/govalue/index.ts'
import type { SecretData } from '../template/read-log.ts'
import type { InheritedData } from './inputs.ts'

/**
 * The secret parts of the data: annotated or inherited ones, and every other value that contains the text of one, such
 * as an alias or a URL with its password.
 */
export function findSecrets(
  annotations: readonly Annotation[],
  data: DataMap,
  inherited: InheritedData | undefined,
): SecretData {
  const annotated = annotations.filter(({ directive }) => directive === 'sensitive').map(({ path }) => path)
  const handedDown = inherited?.secretPaths ?? []
  const own = [...annotated, ...handedDown].flatMap((path) => secretTextsOfData(valueAt(data, path) ?? null))
  const texts = new Set([...own.flatMap(withLines), ...(inherited?.secrets ?? [])])
  if (texts.size === 0) return { paths: [...annotated, ...handedDown], texts }
  const redactor = createRedactor(texts)
  const holders: (readonly string[])[] = []
  const walk = (value: GoValue, path: readonly string[]): void => {
    if (isGoMap(value)) for (const [key, item] of value) walk(item, [...path, formatGoValue(key)])
    else if (isGoList(value)) for (const item of value) walk(item, path)
    else if (value !== null && typeof value !== 'boolean' && redactor.holdsSecret(formatGoValue(value)))
      holders.push(path)
  }
  walk(data, [])
  const paths = new Map([...annotated, ...handedDown, ...holders].map((path) => [path.join('\0'), path]))
  return { paths: [...paths.values()], texts }
}
