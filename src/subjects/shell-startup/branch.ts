import type { Command } from './ast.ts'
import type { Walk } from './call.ts'
import { mergeWithDoubt, type Flow, mergeFlows, type ShellState } from './state.ts'

/** Location of a command, for messages. */
export function placeOf({ line }: Command, { file }: Walk): string {
  return `${file}:${line}`
}

/** Continues by exit status: one branch, or both if the status is unknown. */
export function branch(
  place: string,
  flows: readonly Flow[],
  onYes: (state: ShellState) => readonly Flow[],
  onNo: (state: ShellState) => readonly Flow[],
): readonly Flow[] {
  return mergeFlows(
    flows.flatMap((flow): readonly Flow[] => {
      const { state, status, jump } = flow
      if (jump !== undefined) return [flow]
      switch (status.kind) {
        case 'yes':
          return onYes(state)
        case 'no':
          return onNo(state)
        case 'unclear':
          return mergeWithDoubt([onYes(state), onNo(state)], `${place}: ${status.why}`)
        case 'either': {
          const answer = state.answered.get(status.question)
          if (answer !== undefined) return answer ? onYes(state) : onNo(state)
          const knowing = (is: boolean): ShellState => ({
            ...state,
            answered: new Map(state.answered).set(status.question, is),
          })
          return [...onYes(knowing(true)), ...onNo(knowing(false))]
        }
      }
    }),
  )
}
