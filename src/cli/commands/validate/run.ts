import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import type { Problem } from '../../../model/problem.ts'
import { soundnessOf, withChildren } from '../../../engine/inspect/soundness.ts'
import { loadDocuments } from '../../../policy/load.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { reportProblems } from '../../errors.ts'
import { sourceWith } from '../../../policy/fetch/files.ts'
import { checksumOf } from '../../options/bundle.ts'
import { loadExtensions } from '../../options/extension.ts'
import { inputsOf, isUntrusted } from '../../options/input.ts'
import { targetOf } from '../../options/target.ts'
import type { Io } from '../../output/io.ts'
import type { ValidateInvocation } from './index.ts'

/** Prints the problems of policies and returns the exit code. */
export async function runValidate({ operands, options }: ValidateInvocation, io: Io): Promise<number> {
  const checksum = await checksumOf(operands, options, 'validate')
  const { types, facts } = await loadExtensions(options, io)
  const untrusted = isUntrusted(operands, options)
  const target = await targetOf(options)
  const inputs = { ...inputsOf(options, facts), ...checksum, source: sourceWith(io.stdin) }
  const loaded = await loadDocuments(operands, { ...inputs, types, untrusted, target })
  // All problems are known by now.
  await loaded.dispose()
  await reportProblems(loaded.ok ? loaded.warnings : loaded.problems, io)
  if (!loaded.ok) return invalid(loaded.problems, io)
  const { documents, hints, problems: found } = soundnessOf(loaded.value, types)
  const problems = [...found, ...(options.ccm ? await ccmDifferencesOf(documents, types) : [])]
  await reportProblems([...hints, ...problems], io)
  if (problems.length > 0) return invalid([...loaded.warnings, ...hints, ...problems], io)
  if (options.quiet) return EXIT.ok
  const lines = loaded.value.map(({ policy: { source, id, resources, controls }, children }) => {
    const below = withChildren(children).length
    const applied = below === 0 ? '' : `, ${countOf(below, 'child manifest')}`
    const size = `${countOf(resources.length, 'resource')}, ${countOf(controls.length, 'control')}${applied}`
    return `${escapeForTerminal(source)}: valid, policy ${escapeForTerminal(id)} (${size})\n`
  })
  const total = loaded.value.length === 1 ? '1 policy valid' : `${loaded.value.length} policies valid`
  const warned = loaded.warnings.length + hints.length
  await io.print(`${lines.join('')}${total}${warned === 0 ? '' : `, ${countOf(warned, 'warning')}`}\n`)
  return EXIT.ok
}

/** Ends with the number of problems. */
function invalid(problems: readonly Problem[], io: Io): number {
  const count = (severity: Problem['severity']): number =>
    problems.filter((problem) => problem.severity === severity).length
  const warnings = count('warning')
  io.say(`${countOf(count('error'), 'error')}${warnings === 0 ? '' : `, ${countOf(warnings, 'warning')}`}\n`)
  return EXIT.notPerformed
}

async function ccmDifferencesOf(
  documents: readonly PolicyDocument[],
  types: readonly ResourceType[],
): Promise<readonly Problem[]> {
  const { ccmDifferences } = await import('../../../engine/inspect/ccm-differences.ts')
  return documents.flatMap((document) => ccmDifferences(document, types))
}
