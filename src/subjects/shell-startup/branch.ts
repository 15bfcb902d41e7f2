import type { Command } from './ast.ts'
import type { Walk } from './call.ts'
import { doubted, type Flow, merged, type ShellState } from './state.ts'

/** Where a command stands, for messages. */
export function placeOf({ line }: Command, { file }: Walk): string {
  return `${file}:${line}`
}

/** Goes on by how commands ended: one way, or both where that is not known. */
export function branch(
  place: string,
  flows: readonly Flow[],
  onYes: (state: ShellState) => readonly Flow[],
  onNo: (state: ShellState) => readonly Flow[],
): readonly Flow[] {
  return merged(
    flows.flatMap((flow): readonly Flow[] => {
      const { state, status, jump } = flow
      if (jump !== undefined) return [flow]
      switch (status.kind) {
        case 'yes':
          return onYes(state)
        case 'no':
          return onNo(state)
        case 'unclear':
          return doubted([onYes(state), onNo(state)], `${place}: ${status.why}`)
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
