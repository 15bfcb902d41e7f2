import type { Origin } from '../../model/policy.ts'
import type { Annotation } from '../data/annotations.ts'
import type { DataMap, Layer } from '../data/merge.ts'
import type { FactFamilies, ReadTemplateFile, RemoteValues, UnreadValue, ValueMap } from '../template/index.ts'

export interface PolicyInputs {
  /** Gathers at least the requested families of facts. Called only for policies that read facts. */
  readonly facts: (families: FactFamilies) => ObservedFacts
  /**
   * Called for each policy that reads facts, before any is gathered, so that problems with fact files are known before
   * the evaluation.
   */
  readonly prepareFacts?: () => void
  /** The environment variables of templates. */
  readonly environ: ReadonlyMap<string, string>
  /** Why templates have no environment variables, if so. */
  readonly environRefusal?: string
  /** The origins of facts and environment variables; undefined if unknown. */
  readonly origins?: InputOrigins
  /** The operator's data, which overrides that of every policy, in order. */
  readonly data: readonly Layer[]
  /** The variables of Goss templates; empty if undefined. */
  readonly vars?: DataMap
  /** Annotations of secrets in the operator's data; empty if undefined. */
  readonly sensitive?: readonly Annotation[]
  /** Data inherited from the policy that applies this one, below the operator's data. */
  readonly inherited?: InheritedData
  /** Values on a server; if undefined, reading one is an error. */
  readonly remote?: RemoteValues
  /** Reads a text file that a policy names. Throws an `Error` with the reason if that fails. */
  readonly readFile: ReadTemplateFile
  /** Whether a path exists; symbolic links are not followed. Throws an `Error` if that is unknown. */
  readonly fileExists: (path: string) => boolean
}

/** Data that a child manifest inherits from the policy that applies it. */
export interface InheritedData {
  readonly data: DataMap
  /** Texts that must never be shown. */
  readonly secrets: readonly string[]
  readonly secretPaths: readonly (readonly string[])[]
  /** Keys with values from files or the environment. */
  readonly foreign: ForeignKeys
}

export type ForeignKeys = ReadonlyMap<string, readonly Origin[]>

/** Facts, as seen by templates. */
export interface ObservedFacts {
  readonly values: ValueMap
  /** Unreadable facts, whose presence is unknown. */
  readonly unread: readonly UnreadValue[]
}

/** The layers of facts and of environment variables, lowest first. */
export interface InputOrigins {
  /** At least the requested families, gathered again. */
  readonly facts: (families: FactFamilies) => readonly Layer[]
  readonly environ: readonly Layer[]
}

/** Empty inputs: no facts, no environment, no files. */
export const NO_INPUTS: PolicyInputs = {
  facts: () => ({ values: new Map(), unread: [] }),
  environ: new Map(),
  data: [],
  readFile: () => {
    throw new Error('files cannot be read here')
  },
  fileExists: () => false,
}
