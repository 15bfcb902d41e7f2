import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runInProcess } from '../../support/command-line.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

async function imported(waivers: Readonly<Record<string, object>>): Promise<Awaited<ReturnType<typeof runInProcess>>> {
  const file = join(temporaryDirectory(), 'w.json')
  writeFileSync(file, JSON.stringify(waivers))
  return runInProcess('import', 'inspec-waivers', file, '--approver', 'Ada')
}

// InSpec compares `Time.parse` of the text with now: it is over once that moment has come.
test.each([
  ['2099-03-31', '2099-03-30'],
  ['2099-3-1', '2099-02-28'],
  ['2099/10/21', '2099-10-20'],
  ['2099.10.21', '2099-10-20'],
  ['20991021', '2099-10-20'],
  ['2099-03-31 12:00:00', '2099-03-30'],
  ['2099-03-31T12:00:00.5Z', '2099-03-30'],
  ['2099-03-31T00:30:00+02:00', '2099-03-29'],
  ['2099-03-31 23:30 -0100', '2099-03-31'],
  ['31 March 2099', '2099-03-30'],
  ['1-Jan-2099', '2098-12-31'],
  ['Tue, 31 Mar 2099 12:00:00 GMT', '2099-03-30'],
  ['March 31, 2099', '2099-03-30'],
])('a waiver of InSpec that expires %s has %s as its last day', async (written, last) => {
  const { code, stdout } = await imported({ a: { justification: 'x', expiration_date: written } })
  expect([code, parse(stdout)]).toMatchObject([0, { waivers: [{ id: 'a', expires: last }] }])
})

test.each(['2099-02-30', '2099-13-01', '10/21/2099', 'soon', '2099', '31 Foo 2099'])(
  '%s is no day',
  async (written) => {
    const { code, stdout, stderr } = await imported({
      a: { justification: 'x', expiration_date: written },
      b: { justification: 'x', expiration_date: '2099-03-31' },
    })
    expect([code, parse(stdout)]).toMatchObject([0, { waivers: [{ id: 'b' }] }])
    expect(stderr).toMatch(/w\.json:1:2 warning: a: not imported: expiration_date: /)
  },
)
