import type { Line } from '../../host/nats/line.ts'
import { useNextKey } from './next-key.ts'
import { followNotice } from './notice.ts'

/**
 * Applies the operator's notice on a host, and switches to the next key once the server accepts it. Throws an
 * `OperatorError` if the server or the machine prevents it.
 */
export async function followOperator(line: Line, directory: string, say: (text: string) => void): Promise<void> {
  if (await useNextKey(directory)) say('uses a new key from now on, as set by the operator')
  await followNotice(line, directory, say)
}
