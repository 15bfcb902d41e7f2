import { BudgetError, TemplateError } from '../../../templates/errors.ts'
import { compareStrings } from '../../../templates/govalue/index.ts'

/** Rendered files with their bytes by relative path, sorted, and directories, parents first. */
export interface RenderedTree {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly directories: readonly string[]
}

const MAX_FILES = 200_000
const MAX_TOTAL_BYTES = 512 * 1024 * 1024

/** Collects rendered files and rejects a path that is both file and directory. */
export class TreeBuilder {
  readonly #target: string
  readonly #files = new Map<string, Uint8Array>()
  readonly #directories = new Set<string>()
  #totalBytes = 0

  /** `target` is the directory of the tree, for messages. Paths are relative to it and clean. */
  constructor(target: string) {
    this.#target = target
  }

  addDirectory(path: string): void {
    this.#addParents(path, 'mkdir')
    if (this.#files.has(path)) throw new TemplateError(`mkdir ${this.#target}/${path}: not a directory`)
    this.#directories.add(path)
  }

  /** Replaces an earlier file at the path. */
  addFile(path: string, bytes: Uint8Array): void {
    this.#addParents(path, 'open')
    if (this.#directories.has(path)) throw new TemplateError(`open ${this.#target}/${path}: is a directory`)
    this.#totalBytes += bytes.length - (this.#files.get(path)?.length ?? 0)
    if (this.#totalBytes > MAX_TOTAL_BYTES) {
      throw new BudgetError(`the scaffold renders more than ${MAX_TOTAL_BYTES / 1024 / 1024} MiB`)
    }
    this.#files.set(path, bytes)
    if (this.#files.size > MAX_FILES) throw new BudgetError(`the scaffold renders more than ${MAX_FILES} files`)
  }

  finish(): RenderedTree {
    const files = [...this.#files].toSorted(([left], [right]) => compareStrings(left, right))
    return { files: new Map(files), directories: [...this.#directories].toSorted(compareStrings) }
  }

  #addParents(path: string, operation: string): void {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const parent = path.slice(0, slash)
      // Its parents were added with it.
      if (this.#directories.has(parent)) return
      if (this.#files.has(parent)) throw new TemplateError(`${operation} ${this.#target}/${path}: not a directory`)
      this.#directories.add(parent)
    }
  }
}
