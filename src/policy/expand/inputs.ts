import type { Origin } from '../../model/policy.ts'
import type { Annotation } from '../data/annotations.ts'
import type { DataMap, Layer } from '../data/merge.ts'
import type { FactFamilies, ReadTemplateFile, RemoteValues, UnreadValue, ValueMap } from '../template/index.ts'

/** What the templates of policies see of the world. */
export interface PolicyInputs {
  /** Gathers facts: at least the families asked for. Called only for policies that mention facts. */
  readonly facts: (families: FactFamilies) => ObservedFacts
  /**
   * Called once for each policy whose text mentions facts, before any is gathered: what is wrong with the files of facts
   * is then known before the policy is evaluated.
   */
  readonly prepareFacts?: () => void
  /** The environment variables templates may read. */
  readonly environ: ReadonlyMap<string, string>
  /** Why templates may see none of them, where they may not. */
  readonly environRefusal?: string
  /** Where facts and environment variables come from, for telling it; absent where that is not known. */
  readonly origins?: InputOrigins
  /** Data the operator lays over that of every policy, in order. */
  readonly data: readonly Layer[]
  /** Keys whose values replace each other whole: the parameters of a catalogue, of which a site chooses all of a list. */
  readonly parameters?: readonly string[]
  /** The variables that the templates of Goss see; none where absent. */
  readonly vars?: DataMap
  /** Which of that are secrets; none where absent. */
  readonly sensitive?: readonly Annotation[]
  /** What the policy that applies this one lays over its data, below what the operator gave. */
  readonly inherited?: InheritedData
  /** Values that lie on a server; a policy that asks for one has an error where absent. */
  readonly remote?: RemoteValues
  /** Reads a text file that a policy names. Throws an `Error` with the reason when it cannot. */
  readonly readFile: ReadTemplateFile
  /** Whether something is at the path, links not followed. Throws an `Error` when that cannot be told. */
  readonly fileExists: (path: string) => boolean
}

/** Data that a child manifest gets from the policy that applies it. */
export interface InheritedData {
  readonly data: DataMap
  /** Texts that must never be shown. */
  readonly secrets: readonly string[]
  /** The keys that lead to what is secret. */
  readonly secretPaths: readonly (readonly string[])[]
  /** The keys of what comes from files or the environment. */
  readonly foreign: ForeignKeys
}

/** Where the values of some keys come from. */
export type ForeignKeys = ReadonlyMap<string, readonly Origin[]>

/** Facts as templates see them. */
export interface ObservedFacts {
  readonly values: ValueMap
  /** Those that could not be read, so that their presence is unknown. */
  readonly unread: readonly UnreadValue[]
}

/** The layers that the facts and the environment variables are made of, the lowest first. */
export interface InputOrigins {
  /** At least of the families asked for, which are gathered anew. */
  readonly facts: (families: FactFamilies) => readonly Layer[]
  readonly environ: readonly Layer[]
}

/** A world with nothing in it: no facts, no environment, no files. */
export const NO_INPUTS: PolicyInputs = {
  facts: () => ({ values: new Map(), unread: [] }),
  environ: new Map(),
  data: [],
  readFile: () => {
    throw new Error('files cannot be read here')
  },
  fileExists: () => false,
}
