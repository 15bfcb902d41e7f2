import type { Reading } from '../core/observation.ts'
import type { GoFunction, GoValue } from '../template/govalue/index.ts'

/** What templates outside the policy's own text can see. */
export interface TemplateView {
  /** `facts`, `data`, `environ` and the same with a capital. */
  readonly variables: ReadonlyMap<string, GoValue>
  readonly functions: ReadonlyMap<string, GoFunction>
}

/** What every observe and apply gets beside the machine. */
export interface ResourceContext {
  /** The directory relative paths of the policy start from. */
  readonly workingDirectory: string
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal
  /** Whether text differences may be shown: not with `--no-diff`, never for a sensitive resource. */
  readonly showDiff: boolean
  /** Set where contents may be compared, and not even their plain digests shown. */
  readonly contentsHidden?: boolean
  /** Set where no command that the policy names may run: guards, checks, `post` and the commands themselves. */
  readonly commandsForbidden?: boolean
  /**
   * What templates that a resource renders can see; `data` takes the place of the policy's own, in lookups too. Asked
   * for at most once for each look, because it gathers all facts. Absent where there is nothing to see.
   */
  readonly templates?: (data: ReadonlyMap<GoValue, GoValue> | undefined) => TemplateView
  /**
   * Makes the content of a URL or of an archive (an absolute path) available as a directory, which whoever runs the
   * policy removes in the end. Absent where nothing can be fetched or unpacked.
   */
  readonly fetchDirectory?: (source: string) => Promise<Reading<string>>
}
