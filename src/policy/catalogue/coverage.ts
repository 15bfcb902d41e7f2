import { parse } from 'yaml'
import { decodeUtf8 } from '../document/text.ts'
import { listSources, readSource } from '../fetch/shipped.ts'

/** Why a recommendation has no control. */
type Why = 'manual' | 'not expressible' | 'to do'

/** A recommendation of a benchmark without a control. */
interface Uncovered {
  readonly number: string
  readonly why: Why
  readonly reason: string
}

/** The recommendations of a benchmark. */
interface Coverage {
  readonly numbers: readonly string[]
  readonly uncovered: readonly Uncovered[]
}

interface CoverageFile {
  /** The last number of each section. */
  readonly sections: Readonly<Record<string, number>>
  readonly uncovered?: Readonly<Record<string, Omit<Uncovered, 'number'>>>
}

const FOLDER = 'recommendations'

/** The policies that ship with a list of recommendations, as `@name`. */
export async function listCoverages(): Promise<readonly string[]> {
  return (await listSources(FOLDER)).map((file) => `@${file.replace(/\.yaml$/, '')}`)
}

/** Reads the recommendations of a policy of `listCoverages`. Throws an `Error` if the installation is incomplete. */
export async function readCoverage(policy: string): Promise<Coverage> {
  const path = `${FOLDER}/${policy.slice(1)}.yaml`
  const read = await readSource(path)
  if ('reason' in read) throw new Error(`${path} ${read.reason}`)
  const text = decodeUtf8(path, read.bytes)
  if (typeof text !== 'string') throw new Error(text.message)
  const { sections, uncovered = {} } = parse(text) as CoverageFile
  const numbers = Object.entries(sections).flatMap(([section, last]) =>
    Array.from({ length: last }, (_, index) => `${section}.${index + 1}`),
  )
  return {
    // A section that contains sections is no recommendation.
    numbers: numbers.filter((number) => !(number in sections)),
    uncovered: Object.entries(uncovered).map(([number, entry]) => ({ number, ...entry })),
  }
}
