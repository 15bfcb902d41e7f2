import { expect, test } from 'vitest'
import { sshCarrier } from '../../src/remote/carriers/ssh.ts'
import { whyNotStarted } from '../../src/remote/run-job.ts'

const BANNER = 'WARNING: authorised use only\n'
const carrier = sshCarrier({ kind: 'ssh', host: 'web01', user: undefined, port: undefined })

// nologin(8) and internal-sftp of sshd say it on standard output; the banner of sshd is on standard error.
test.each([
  ['This account is currently not available.', 'the user has no shell there'],
  ['This service allows sftp connections only.', 'the user has no shell there'],
  ['Closed for maintenance until noon.', 'driftgate did not start there: Closed for maintenance until noon.'],
  ['', 'driftgate did not start there: WARNING: authorised use only'],
])('%j behind a banner', (output, message) => {
  const end = { kind: 'ended', exitCode: 1, said: BANNER } as const
  const order = { program: undefined, become: [] }
  expect(whyNotStarted({ word: 'silence', rest: output }, { carrier, end, order })).toBe(message)
})
