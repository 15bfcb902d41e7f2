import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'
import type { Examination, PreparedResource } from '../resource-type/define.ts'

const REFUSED = {
  kind: 'not-started',
  message: 'types of plugins run no program (--no-commands or --untrusted)',
} as const

/** A resource that gets no program to run, because only the author of its type knows which values of a policy it gives to one. */
export function withoutPrograms(prepared: PreparedResource): PreparedResource {
  return {
    ...prepared,
    examine(target, occasion) {
      const examination = prepared.examine(withoutRun(target), occasion)
      return examination instanceof Promise ? examination.then(changingWithout) : changingWithout(examination)
    },
  }
}

function changingWithout(examination: Examination): Examination {
  if (examination.kind !== 'decided') return examination
  return { ...examination, apply: (remediator) => examination.apply(withoutRun(remediator)) }
}

function withoutRun<Machine extends Target | Remediator>(machine: Machine): Machine {
  return { ...machine, run: () => Promise.resolve(REFUSED) }
}
