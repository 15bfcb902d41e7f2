import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { reportFormats } from '../../src/report/index.ts'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

/** Secrets with characters that every format escapes, each its own way. */
const SECRETS = {
  password: 'hunter22<&"\'>pw',
  token: 'tok/12345+é==%~',
  content: 'planted"line\\one#TODO',
  header: 'Bearer zX9&<planted>|`hdr`',
} as const

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The forms in which a text can come out of a report. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const markup = secret.replaceAll(/[&<>"']/g, (sign) => MARKUP[sign] ?? sign)
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    markup,
    markup.replaceAll('&#39;', '&apos;').replaceAll('&quot;', '"'),
    secret.replaceAll(/[^a-zA-Z0-9]/gu, (sign) => `&#${sign.codePointAt(0)};`),
    encodeURIComponent(secret),
    encodeURI(secret),
    secret.replaceAll('%', '%25'),
    secret.replaceAll(/[\\#]/g, String.raw`\$&`),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    secret.split('').toReversed().join(''),
  ]
}

/** A machine that drifted from a policy which has a secret in every place that can hold one. */
function plant(): string {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, 'policies'))
  const { uid, gid } = userInfo()
  const own = { owner: String(uid), group: String(gid), mode: '0644' }
  const data = [
    'data:',
    ...Object.entries(SECRETS).flatMap(([name, secret]) => ['  # @sensitive', `  ${name}: ${JSON.stringify(secret)}`]),
    '',
  ].join('\n')
  const resources = {
    ccm: {
      resources: [
        {
          file: [
            {
              [join(cwd, 'marked')]: {
                ensure: 'present',
                ...own,
                content: `${SECRETS.content}\nnew\n`,
                sensitive: true,
              },
            },
            { [join(cwd, 'data')]: { ensure: 'present', ...own, content: 'a\npw={{ Data.password }}\nb\n' } },
            { [`${cwd}/name-{{ Data.password }}`]: { ensure: 'present', ...own, content: 'x' } },
            { [join(cwd, 'owner')]: { ensure: 'present', ...own, owner: 'u-{{ Data.token }}' } },
            { [join(cwd, 'source')]: { ensure: 'present', ...own, source: '/none-{{ Data.token }}' } },
            { [join(cwd, 'error')]: { ensure: 'present', ...own, content: '{{ readFile("/none/" + Data.token) }}' } },
            {
              [join(cwd, 'healthy')]: {
                ensure: 'present',
                ...own,
                health_checks: [
                  { command: `/bin/sh -c "cat ${join(cwd, 'said')}; exit 2"`, name: 'says it', format: 'nagios' },
                ],
              },
            },
          ],
        },
        {
          archive: [
            {
              [join(cwd, 'app.tar.gz')]: {
                ensure: 'present',
                owner: own.owner,
                group: own.group,
                url: 'http://user:{{ Data.password }}@127.0.0.1:1/app.tar.gz?t={{ Data.token }}',
                headers: { Authorization: '{{ Data.header }}' },
                checksum: '0'.repeat(64),
                extract_parent: cwd,
              },
            },
          ],
        },
        {
          exec: [
            { '/bin/cat said': { cwd, logoutput: true, unless: '/bin/false' } },
            { '/bin/echo {{ Data.token }}': { cwd, logoutput: true, environment: ['T={{ Data.token }}'] } },
            { '/bin/sh -c "cat said >&2; exit 3"': { cwd } },
          ],
        },
      ],
    },
  }
  writeFileSync(
    join(cwd, 'policies/site.yaml'),
    data + JSON.stringify(resources).slice(1, -1).replace('"ccm":', 'ccm: '),
  )
  const said = Object.values(SECRETS).join('\n')
  writeFileSync(join(cwd, 'said'), `${said}\n`)
  writeFileSync(join(cwd, 'marked'), `${SECRETS.content}\nold\n`)
  writeFileSync(join(cwd, 'data'), `a\npw=old ${SECRETS.password}\nb\n`)
  for (const name of ['owner', 'source', 'healthy']) writeFileSync(join(cwd, name), SECRETS.token)
  return cwd
}

/** A file of the history, of which the reports are compressed. */
function readStored(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}

function expectNoSecret(text: string, where: string): void {
  for (const [name, secret] of Object.entries(SECRETS)) {
    for (const form of formsOf(secret)) expect(text.includes(form), `${name} as ${form} in ${where}`).toBe(false)
  }
}

test.each([
  ['an audit', []],
  ['a fix', ['--fix']],
])(
  'no secret appears in the output of %s: on no channel and in no report format, escaped or not',
  async (_mode, flags) => {
    const cwd = plant()
    const formats = reportFormats.map(({ name }) => name)
    const reports = formats.flatMap((name) => ['--report', `${name}=reports/${name}`])
    const words = ['scan', 'policies/', '--report', 'ndjson', '--verbose', '--history', 'history', ...reports, ...flags]
    const scan = await driftgate(words, { cwd })
    const run: unknown = JSON.parse(readFileSync(join(cwd, 'reports/json'), 'utf8'))
    // Nothing is proved by a scan that did not come across them.
    expect(run).toMatchObject({ policies: [{ resources: { length: 11 } }] })
    for (const trace of ['"redacted":true', 'name-(secret)']) expect(JSON.stringify(run)).toContain(trace)
    expect(scan.stderr).not.toContain('Warning')
    expectNoSecret(scan.stdout, 'standard output')
    expectNoSecret(scan.stderr, 'standard error')
    for (const name of formats) expectNoSecret(readFileSync(join(cwd, 'reports', name), 'utf8'), name)
    const stored = readdirSync(join(cwd, 'history'))
    expect(stored).toHaveLength(2)
    for (const name of stored) expectNoSecret(readStored(join(cwd, 'history', name)), name)
    for (const action of ['list', 'show latest', 'diff latest latest']) {
      const { stdout, stderr } = await driftgate(['history', ...action.split(' '), '--history', 'history'], { cwd })
      expect(stdout).not.toBe('')
      expectNoSecret(stdout + stderr, `history ${action}`)
    }
  },
)

test('every form of a secret would be found', () => {
  const [, ...forms] = formsOf(SECRETS.password)
  expect(new Set(forms).size).toBeGreaterThan(8)
  for (const form of forms) expect(() => expectNoSecret(`before ${form} after`, 'a text')).toThrow()
})
