import { expect, test } from 'vitest'
import { runInProcess } from '../../../support/command-line.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, needsRoot, RHEL, type Row, verdictOf } from './host.ts'

const APT: Files = { ...DEBIAN, 'usr/bin/apt-get': 'x' }

/** A source in the format of deb822. */
function stanza(fields: string): string {
  return `Types: deb\nURIs: https://deb.example\nSuites: stable\nComponents: main\n${fields}\n`
}

// sources.list(5), apt-get(8), apt-secure(8)
test.skipIf(needsRoot).each<Row>(
  (
    [
      ['sources.list', 'deb [trusted=yes] https://deb.example stable main', 'drifted'],
      ['sources.list', 'deb [ arch=amd64 trusted=yes ] https://deb.example stable main', 'drifted'],
      ['sources.list', '# deb [trusted=yes] https://deb.example stable main', 'compliant'],
      ['sources.list', 'deb [trusted=no] https://deb.example stable main', 'compliant'],
      ['sources.list', 'deb https://deb.example stable main', 'compliant'],
      ['sources.list.d/a.list', 'deb-src [allow-insecure=yes] https://deb.example stable main', 'drifted'],
      ['sources.list.d/a.list.save', 'deb [trusted=yes] https://deb.example stable main', 'compliant'],
      ['sources.list.d/a.sources', stanza('Trusted: yes'), 'drifted'],
      ['sources.list.d/a.sources', `${stanza('Signed-By: /a')}\n${stanza('Allow-Insecure: yes')}`, 'drifted'],
      ['sources.list.d/a.sources', stanza('Trusted: yes\nEnabled: no'), 'compliant'],
      ['apt.conf.d/a', 'APT::Get::AllowUnauthenticated "true";', 'drifted'],
      ['apt.conf', 'Acquire::AllowInsecureRepositories "1";', 'drifted'],
      ['apt.conf.d/a', 'Dir::Etc::SourceParts "/srv/sources";', 'error'],
    ] as const
  ).flatMap(([path, text, verdict]): Row[] => {
    const host = { files: { ...APT, [`etc/apt/${path}`]: `${text}\n` } }
    return [
      ['@linux apt-signatures', `${path}: ${text}`, host, verdict],
      // Whose keys they are is for a person to say.
      ['@cis-debian-12 1.2.1.1', `${path}: ${text}`, host, verdict === 'compliant' ? 'not-evaluated' : verdict],
    ]
  }),
)('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

// Each vendor signs with keys of its own: the files in /etc/pki/rpm-gpg of its release package.
test.each([
  ['rhel', "the vendor's signing keys"],
  ['almalinux', 'the signing key of AlmaLinux'],
  ['rocky', 'the signing key of Rocky Linux'],
  ['centos', 'the signing key of CentOS Stream'],
  ['ol', 'the signing keys of Oracle Linux'],
])('@cis-rhel-9 1.2.1.1 asks %s for %s alone', async (id, name) => {
  const root = temporaryDirectory()
  put(root, { ...RHEL, 'usr/lib/os-release': `ID=${id}\nID_LIKE="rhel fedora"\nVERSION_ID="9.4"\n` })
  const scan = ['scan', '@cis-rhel-9', '--only', '1.2.1.1', '--target', `root:${root}`, '--report', 'json']
  const { stdout } = await runInProcess(...scan)
  const { policies } = JSON.parse(stdout) as { policies: [{ resources: readonly { id: string; verdict: string }[] }] }
  const asked = policies[0].resources.filter(
    (each) => each.id.startsWith('command#') && each.verdict !== 'not-applicable',
  )
  expect(asked.map((each) => each.id)).toEqual([`command#${name}`])
})
