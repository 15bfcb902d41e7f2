import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { authority, EC, makeCertificates, makeKeys } from '../support/certificates.ts'
import { runInProcess } from '../support/command-line.ts'
import { needsPrograms } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const LINES = Array.from({ length: 40 }, (_, index) => `/srv/data/shared/known-${index}/world-writable.dat`)

/** What a command and Goss find, in the first run and in the next one. */
const OUTPUTS: readonly (readonly [what: string, before: string | Buffer, after: string | Buffer])[] = [
  ['one more of many lines', LINES.join('\n'), [...LINES, '/etc/shadow-copy'].join('\n')],
  ['another line that is too long to be shown', 'x'.repeat(2000), `${'x'.repeat(1999)}y`],
  ['another byte that is no text', Buffer.from([0x63, 0xe9]), Buffer.from([0x63, 0xe8])],
  ['a byte that is no text for a character that stands for such', Buffer.from([0x63, 0xff]), 'c\ufffd'],
]

const POLICIES: Readonly<Record<string, (file: string) => string>> = {
  'policy.yaml': (file) => `ccm: { resources: [{ command: [{ look: { command: cat ${file}, stdout: wanted } }] }] }`,
  'goss.yaml': (file) => `command: { cat ${file}: { exit-status: 0, stdout: [wanted] } }`,
  'file.goss.yaml': (file) => `file: { ${file}: { exists: true, contents: [wanted] } }`,
}

const CASES = Object.keys(POLICIES).flatMap((name) =>
  OUTPUTS.map(([what, before, after]) => [name, what, before, after] as const),
)

test.each(CASES)('observed values are compared as a whole in %s: %s', async (name, _what, before, after) => {
  const root = temporaryDirectory()
  const [found, policy] = [join(root, 'found'), join(root, name)]
  writeFileSync(policy, POLICIES[name]?.(found) ?? '')
  const scan = async (report: string, ...more: readonly string[]): Promise<number> =>
    (await runInProcess('scan', policy, '--quiet', '--report', `json=${join(root, report)}`, ...more)).code
  const [first, same, next] = ['first.json', 'same.json', 'next.json'].map((file) => join(root, file))
  if (first === undefined || same === undefined || next === undefined) throw new Error('three files have three paths')
  writeFileSync(found, before)
  expect(await scan('first.json')).toBe(2)
  expect(await scan('same.json', '--baseline', first)).toBe(0)
  expect((await runInProcess('compare', first, same)).code).toBe(0)
  writeFileSync(found, after)
  expect(await scan('next.json', '--baseline', first)).toBe(2)
  expect((await runInProcess('compare', first, next)).code).toBe(2)
})

test('a waiver of a value that is shown in part names its digest', async () => {
  const root = temporaryDirectory()
  const [found, policy, report, waivers] = ['found', 'policy.yaml', 'r.json', 'w.json'].map((file) => join(root, file))
  if (found === undefined || policy === undefined || report === undefined || waivers === undefined) {
    throw new Error('four files have four paths')
  }
  writeFileSync(policy, POLICIES['policy.yaml']?.(found) ?? '')
  writeFileSync(found, LINES.join('\n'))
  await runInProcess('scan', policy, '--quiet', '--report', `json=${report}`)
  const { policies }: Run = JSON.parse(readFileSync(report, 'utf8'))
  const [drift] = policies[0]?.resources[0]?.drift ?? []
  const digest = createHash('sha256').update(LINES.join('\n')).digest('hex')
  expect(drift?.observedDigest).toBe(digest)
  const scanWith = async (value: string): Promise<number> => {
    const waiver = { id: 'known', resource: 'command#look', property: 'stdout', value, reason: 'r', approver: 'a' }
    writeFileSync(waivers, JSON.stringify({ waivers: [{ ...waiver, expires: '2099-12-31' }] }))
    return (await runInProcess('scan', policy, '--quiet', '--waivers', waivers)).code
  }
  expect(await scanWith(LINES.slice(0, 20).join('\n'))).toBe(2)
  expect(await scanWith(`sha256:${digest}`)).toBe(0)
  writeFileSync(found, [...LINES, 'one more'].join('\n'))
  expect(await scanWith(`sha256:${digest}`)).toBe(2)
})

test.skipIf(needsPrograms('openssl'))('a chain that is invalid for another reason is another drift', async () => {
  const root = temporaryDirectory()
  const at = (name: string): string => join(root, name)
  makeKeys(root, { root: EC, other: EC, leaf: EC })
  makeCertificates(root, [
    { name: 'root', subject: '/CN=Root', extensions: authority() },
    { name: 'other', subject: '/CN=Other', extensions: authority() },
    { name: 'leaf', subject: '/CN=Leaf', issuer: 'other' },
  ])
  const policy = {
    ccm: { resources: [{ certificate: [{ [at('found.pem')]: { chain: 'valid', ca: at('root.pem') } }] }] },
  }
  writeFileSync(at('policy.json'), JSON.stringify(policy))
  const scan = async (found: string, report: string): Promise<number> => {
    copyFileSync(at(found), at('found.pem'))
    return (await runInProcess('scan', at('policy.json'), '--quiet', '--report', `json=${at(report)}`)).code
  }
  expect([await scan('leaf.pem', 'first'), await scan('leaf.pem', 'same'), await scan('other.pem', 'next')]).toEqual([
    2, 2, 2,
  ])
  expect((await runInProcess('compare', at('first'), at('same'))).code).toBe(0)
  expect((await runInProcess('compare', at('first'), at('next'))).code).toBe(2)
})
