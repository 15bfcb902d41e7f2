import { expect, test } from 'vitest'
import { DEBIAN, type Files, needsRoot, type Row, verdictOf } from './host.ts'

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
