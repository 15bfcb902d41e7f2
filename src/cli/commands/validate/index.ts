import type { PolicyDocument } from '../../../policy/read/policy.ts'
import type { Problem } from '../../../core/problem.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { countOf } from '../../../core/count-of.ts'
import { EXIT } from '../../../core/gate.ts'
import { defineCommand, type Command } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'
import { BUNDLE_OPTIONS, checksumOf } from '../../options/bundle.ts'
import { INPUT_OPTIONS, inputsOf } from '../../options/input.ts'
import type { Io } from '../../output/io.ts'
import { POLICIES } from '../../options/policies.ts'
import { reportProblems } from '../../problems.ts'

/** `driftgate validate`: reads policies as a scan would and says everything that is wrong with them. */
export const validate: Command = defineCommand({
  name: 'validate',
  summary: 'Check policies, their data and their templates without comparing the machine with them',
  details:
    'Every problem is shown with file, line and column: wrong keys and values, data that breaks its annotations,\n' +
    'templates and conditions that cannot work whatever the machine is like. Exit code 0: all policies are valid.\n' +
    '1: at least one is not. With --ccm a policy is only valid if Choria Configuration Manager (CCM) reads it as it is\n' +
    'meant here.',
  operands: POLICIES,
  options: {
    quiet: { kind: 'flag', alias: 'q', group: 'Output:', summary: 'Say nothing about valid policies' },
    ccm: { kind: 'flag', group: 'Checks:', summary: 'Also refuse what CCM does not know or reads differently' },
    ...INPUT_OPTIONS,
    ...BUNDLE_OPTIONS,
    ...EXTENSION_OPTIONS,
  },
  examples: [
    { command: 'driftgate validate policies/', summary: 'Check every policy of a directory' },
    { command: 'driftgate validate web.yaml --data production.yaml', summary: 'Check with the data of an environment' },
    { command: 'driftgate validate --ccm web.yaml', summary: 'Check that CCM reads the policy as well' },
    { command: 'driftgate validate web.tgz', summary: 'Check a bundle before it is published' },
    { command: 'cat web.yaml | driftgate validate -', summary: 'Check what another program wrote' },
  ],
  async run({ operands, options }, io) {
    const checksum = await checksumOf(operands, options, 'validate')
    const { types } = await loadExtensions(options)
    const [{ loadDocuments }, { checkTemplates }, { hintsOf }, { escapeForTerminal }] = await Promise.all([
      import('../../../policy/load.ts'),
      import('../../../inspect/check-templates.ts'),
      import('../../../inspect/hints.ts'),
      import('../../../core/escape.ts'),
    ])
    const loaded = await loadDocuments(operands, { ...inputsOf(options), ...checksum, types })
    // What is wrong is known by now.
    await loaded.dispose()
    await reportProblems(loaded.ok ? loaded.warnings : loaded.problems, io)
    if (!loaded.ok) return invalid(loaded.problems, io)
    // A manifest that is applied several times is judged once.
    const documents = [...new Map(allOf(loaded.value).map((document) => [document.policy.source, document])).values()]
    const differences = options.ccm ? await ccmDifferencesOf(documents, types) : []
    const problems = [...documents.flatMap((document) => checkTemplates(document, types)), ...differences]
    const hints = documents.flatMap((document) => hintsOf(document, types))
    await reportProblems([...hints, ...problems], io)
    if (problems.length > 0) return invalid([...loaded.warnings, ...hints, ...problems], io)
    if (options.quiet) return 0
    const lines = loaded.value.map(({ policy: { source, id, resources, controls }, children }) => {
      const below = allOf(children).length
      const applied = below === 0 ? '' : `, ${countOf(below, 'child manifest')}`
      const size = `${countOf(resources.length, 'resource')}, ${countOf(controls.length, 'control')}${applied}`
      return `${escapeForTerminal(source)}: valid, policy ${escapeForTerminal(id)} (${size})\n`
    })
    const total = loaded.value.length === 1 ? '1 policy valid' : `${loaded.value.length} policies valid`
    const warned = loaded.warnings.length + hints.length
    await io.print(`${lines.join('')}${total}${warned === 0 ? '' : `, ${countOf(warned, 'warning')}`}\n`)
    return 0
  },
})

/** Ends with how much there is to mend. */
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
  const { ccmDifferences } = await import('../../../inspect/ccm-differences.ts')
  return documents.flatMap((document) => ccmDifferences(document, types))
}

/** Policies with their child manifests, each before those below it. */
function allOf(documents: readonly PolicyDocument[]): readonly PolicyDocument[] {
  return documents.flatMap((document) => [document, ...allOf(document.children)])
}
