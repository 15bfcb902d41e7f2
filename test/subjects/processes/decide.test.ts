import { decideProcess, type ObservedProcess } from '../../../src/subjects/processes/decide.ts'
import type { Process } from '../../../src/subjects/processes/processes.ts'
import type { Unknown } from '../../../src/model/observation.ts'
import { processOf } from '../../support/running.ts'
import { testDecisionCases } from '../decision-cases.ts'

interface Observed {
  readonly processes?: readonly Partial<ObservedProcess>[]
  readonly unseen?: Unknown
}

/** What a case does not say of a process is that of sshd, which root runs. */
testDecisionCases('processes', {
  wanted: ['name', 'ensure', 'count', 'user', 'unit', 'command_line', 'arguments', 'current'],
  observed: ['processes', 'unseen'],
  decide(wanted, observed) {
    const { processes, unseen } = observed as Observed
    const seen = processes?.map((said) => ({ user: 'root', ...processOf(said as Partial<Process>) }))
    const withUsers = seen?.map((each, index) => ({ ...each, user: processes?.[index]?.user ?? 'root' }))
    return decideProcess(
      { name: 'sshd', ensure: 'running', ...wanted },
      withUsers === undefined
        ? { kind: 'absent', context: undefined }
        : {
            kind: 'present',
            state: unseen === undefined ? { processes: withUsers } : { processes: withUsers, unseen },
            context: undefined,
          },
    )
  },
})
