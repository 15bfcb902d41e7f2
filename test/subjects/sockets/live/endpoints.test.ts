import { expect, test } from 'vitest'
import { parseEndpoints } from '../../../../src/subjects/sockets/live/sockets.ts'

// As sctp_eps_seq_show of net/sctp/proc.c prints it: %8pK, %8pK, %-3d, %-3d, %-4d, %-5d, %5u, %5lu, then the addresses.
const HEADING = ' ENDPT     SOCK   STY SST HBKT LPORT   UID INODE LADDRS\n'

test('one socket is as many as it has addresses', () => {
  const text = `${HEADING}       0        0 2   10  9    36412     0 465001933 192.168.60.142 10.0.0.1 \n`
  expect(parseEndpoints(text)).toEqual([
    { address: '192.168.60.142', family: 4, port: 36_412, uid: 0, inode: 465_001_933 },
    { address: '10.0.0.1', family: 4, port: 36_412, uid: 0, inode: 465_001_933 },
  ])
})

test('addresses of IPv6 are unabridged there', () => {
  const text = `${HEADING}cd1c4000 cd20c700 0   10  6    3868   101  1329 fd00:0009:0000:0000:0000:0000:0000:0007 0000:0000:0000:0000:0000:0000:0000:0000 \n`
  expect(parseEndpoints(text)).toEqual([
    { address: 'fd00:9::7', family: 6, port: 3868, uid: 101, inode: 1329 },
    { address: '::', family: 6, port: 3868, uid: 101, inode: 1329 },
  ])
})

test.each([
  ['no endpoint', HEADING, []],
  [
    'an endpoint that does not listen: the state of being closed is 7',
    `${HEADING} 0 0 0   7   6    40001     0  1329 127.0.0.1 \n`,
    [],
  ],
  ['no heading', '', undefined],
  ['another heading', ' ENDPT SOCK\n', undefined],
  ['a line cut off', `${HEADING} 0 0 2   10  9    36412     0 4650\n`, undefined],
  ['something that is no address', `${HEADING} 0 0 2   10  9    36412     0 4650 here \n`, undefined],
])('%s', (_name, text, expected) => {
  expect(parseEndpoints(text)).toEqual(expected)
})
