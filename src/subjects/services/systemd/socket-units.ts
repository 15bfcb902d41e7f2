import { known } from '../../../model/observation.ts'
import type { SocketUnit, SocketUnitReader } from '../../sockets/live/owners.ts'
import { runProgram, unansweredQuery } from '../../../host/systemd/systemctl.ts'

const QUERY_TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export const readSocketUnits: SocketUnitReader = async () => {
  const outcome = await runProgram(['systemctl', 'show', '--no-pager', '--property=Id,Listen', '*.socket'], {
    timeoutMs: QUERY_TIMEOUT_MS,
    maxOutputBytes: MAX_ANSWER_BYTES,
    signal: new AbortController().signal,
  })
  const isAnswer = outcome.kind === 'exited' && outcome.exitCode === 0
  return isAnswer ? known(parseSocketUnits(outcome.stdout)) : unansweredQuery('systemctl show *.socket', outcome)
}

/** Parses one block for each unit, separated by empty lines, with a `Listen=` line for each address. */
export function parseSocketUnits(output: string): readonly SocketUnit[] {
  return output.split(/\n{2,}/).flatMap((block) => {
    const values = (key: string): readonly string[] =>
      block.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []))
    const [unit] = values('Id')
    return unit === undefined ? [] : [{ unit, listens: values('Listen') }]
  })
}
