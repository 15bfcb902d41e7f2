import { createHash } from 'node:crypto'
import type { ResourceType } from '../resource-type/define.ts'
import { hasTemplate } from './expand/has-template.ts'
import type { InheritedData } from './expand/inputs.ts'
import { NO_INPUTS, type PolicyInputs } from './expand/inputs.ts'
import { ForbiddenError } from '../template/errors.ts'
import { readPolicy, type ReadPolicy } from './read/policy.ts'
import { type Confine, confineTo } from '../fetch/confine.ts'
import type { SourceFile } from '../fetch/files.ts'
import type { StructureValidator } from './read/structure.ts'
import { decodeUtf8 } from '../document/text.ts'

/** What the files of policies are read with. */
export interface ParseOptions {
  readonly types: readonly ResourceType[]
  /** What templates see of the world; nothing where absent. */
  readonly inputs?: PolicyInputs
  /** The compiled schema of policies with these types; by default that of the types that ship. */
  readonly validate?: StructureValidator
  /**
   * An expression or template, or the empty text, that will be evaluated beside those of the policies: every policy gets
   * an evaluation then, and the facts that this one reads.
   */
  readonly beside?: string
}

/** Reads the policy of one file, with the data that it gets from the policy that applies it. */
export async function parseFile(
  { file, bytes, workingDirectory, confinedTo, isUntrusted = false }: SourceFile,
  { types, validate, inputs = NO_INPUTS, beside }: ParseOptions,
  inherited?: InheritedData,
): Promise<ReadPolicy> {
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') return { problems: [text] }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const confine = confinedTo === undefined ? undefined : confineTo(confinedTo, workingDirectory, isUntrusted)
  const custom = { ...(validate === undefined ? {} : { validate }), ...(confine === undefined ? {} : { confine }) }
  const seen = { ...confined(inputs, confine), ...(inherited === undefined ? {} : { inherited }) }
  const startEvaluation =
    beside !== undefined || mayEvaluate(text)
      ? await (await import('./expand/evaluation.ts')).loadEvaluation(text, seen, beside)
      : undefined
  const evaluating = startEvaluation === undefined ? {} : { startEvaluation }
  return readPolicy(text, { file, workingDirectory, types, sha256, ...custom, ...evaluating })
}

/** Templates of a confined policy read no file that the policy may not name. */
function confined(inputs: PolicyInputs, confine: Confine | undefined): PolicyInputs {
  if (confine === undefined) return inputs
  return {
    ...inputs,
    readFile(path) {
      const refusal = confine(path)
      if (refusal !== undefined) throw new ForbiddenError(`the file ${refusal}`)
      return inputs.readFile(path)
    },
  }
}

/** A policy without templates, conditions and data is spared the engines that evaluate them. */
function mayEvaluate(text: string): boolean {
  return hasTemplate(text) || /\b(apply|control|data|hierarchy|overrides|resources_jet_file|scaffold)\b/.test(text)
}
