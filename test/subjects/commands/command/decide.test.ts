import {
  decideCommand,
  type CommandResult,
  type CommandDesired,
} from '../../../../src/subjects/commands/command/decide.ts'
import { known, type Reading } from '../../../../src/model/observation.ts'
import { testDecisionCases } from '../../decision-cases.ts'

// The cases are data, in cases/*.yaml.
testDecisionCases('commands/command', {
  wanted: ['exit_code', 'stdout', 'stderr'],
  observed: ['exit_code', 'stdout', 'stderr', 'answer'],
  decide: (wanted, { answer, ...observed }) => {
    const desired = { exit_code: 0, ...wanted } as CommandDesired
    const result = { exit_code: 0, stdout: known(''), stderr: known(''), ...observed } as CommandResult
    return decideCommand(desired, (answer as Reading<CommandResult> | undefined) ?? known(result))
  },
})
