import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

const TYPES = { A: 1, NS: 2, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, CAA: 257 } as const

export type NameRecord = readonly [type: keyof typeof TYPES, data: Buffer]

/** What a server answers: the records of names, or a failure for all of them. */
export interface Zone {
  readonly records: Readonly<Record<string, readonly NameRecord[]>>
  readonly failing?: readonly string[]
}

/** A server of the name system on the loopback interface that ends with the test: `127.0.0.1:PORT`. @see RFC 1035, section 4 */
export async function serveNames({ records, failing = [] }: Zone): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question)
    const own = records[name.toLowerCase()]
    // Server failure, no such name, or no error.
    const code = failing.includes(name.toLowerCase()) ? 2 : own === undefined ? 3 : 0
    const answers = code === 0 ? (own ?? []).filter(([each]) => TYPES[each] === type) : []
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(0x8580 | code, 2)
    header.writeUInt16BE(answers.length, 6)
    header.writeUInt32BE(0, 8)
    const body = answers.map(([each, data]) => record(TYPES[each], data))
    socket.send(Buffer.concat([header, question.subarray(12, end), ...body]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function readQuestion(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** A record of the name that the question is about. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

/** A name as records hold it. */
export function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([...labels.map(encodeText), Buffer.from([0])])
}

/** A text with its length before it. */
export function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)])
}

/** Numbers of two bytes. */
export function encodeNumbers(...numbers: readonly number[]): Buffer {
  return Buffer.concat(numbers.map((number) => Buffer.from([number >> 8, number & 0xff])))
}

/** A zone with records of every type, and a name whose server fails. */
export const EXAMPLE_ZONE: Zone = {
  records: {
    'host.test': [
      ['A', Buffer.from([192, 0, 2, 7])],
      ['A', Buffer.from([192, 0, 2, 10])],
      ['AAAA', Buffer.from('20010db8000000000000000000000001', 'hex')],
      ['MX', Buffer.concat([encodeNumbers(10), encodeName('mail.test')])],
      ['MX', Buffer.concat([encodeNumbers(5), encodeName('other.mail.test')])],
      ['NS', encodeName('ns1.test')],
      ['TXT', Buffer.concat([encodeText('v=spf1 -all'), encodeText('second part')])],
      ['CAA', Buffer.concat([Buffer.from([0]), encodeText('issue'), Buffer.from('ca.test')])],
    ],
    'empty.test': [],
    'alias.test': [['CNAME', encodeName('host.test')]],
    '_ldap._tcp.test': [['SRV', Buffer.concat([encodeNumbers(1, 2, 389), encodeName('ldap.test')])]],
    '7.2.0.192.in-addr.arpa': [['PTR', encodeName('host.test')]],
    '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa': [['PTR', encodeName('six.test')]],
  },
  failing: ['broken.test'],
}
