import type { Line } from '../../host/nats/line.ts'
import { useNextKey } from './next-key.ts'
import { followNotice } from './notice.ts'

/**
 * Does on a host what its operator has told, and uses its next key once the server lets that in. Throws an `OperatorError` where the server
 * or the machine does not let it.
 */
export async function followOperator(line: Line, directory: string, say: (text: string) => void): Promise<void> {
  if (await useNextKey(directory)) say('uses a new key from now on, as the operator has told')
  await followNotice(line, directory, say)
}
