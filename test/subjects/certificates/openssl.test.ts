import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { judgeChain } from '../../../src/subjects/certificates/chain.ts'
import { type ParsedCertificate, parseCertificates } from '../../../src/subjects/certificates/parse.ts'
import { authority, type CertificatePlan, EC, makeCertificates, makeKeys } from '../../support/certificates.ts'
import { needsPrograms } from '../../support/programs.ts'

const KEYS: Readonly<Record<string, readonly string[]>> = {
  p256: EC,
  p384: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  p521: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp521r1'],
  brainpool: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:brainpoolP256r1'],
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  ed25519: ['-algorithm', 'ED25519'],
  ed448: ['-algorithm', 'ED448'],
}
const KEY_NAMES = Object.keys(KEYS)
const NAMES = [
  [],
  ['subjectAltName=DNS:www.example.org'],
  ['subjectAltName=DNS:WWW.Example.org,DNS:*.example.net,IP:192.0.2.1,IP:2001:db8::1'],
  ['subjectAltName=IP:::1,IP:2001:db8:0:1:1:1:1:1,IP:1:0:0:2:0:0:0:3,email:a@example.org,URI:https://example.org/'],
  ['subjectAltName=critical,DNS:a.example.org', 'keyUsage=critical,digitalSignature', 'extendedKeyUsage=serverAuth'],
]
const SUBJECTS = [
  '/C=DE/O=Example, Inc./CN=www.example.org',
  '/CN=a',
  '/DC=org/DC=example/OU=x/CN=b+UID=c',
  '/O=Ünïcode',
]
const ISSUERS = [
  'root',
  'other',
  'middle',
  'deep',
  'limited',
  'below',
  'client',
  'signer',
  'renewed',
  'expiring',
  undefined,
]

const AUTHORITIES: readonly CertificatePlan[] = [
  { name: 'root', subject: '/CN=Root', days: 4000, extensions: authority() },
  { name: 'other', subject: '/CN=Other', days: 4000, extensions: authority() },
  { name: 'middle', subject: '/CN=Middle', issuer: 'root', days: 2000, extensions: authority() },
  { name: 'deep', subject: '/CN=Deep', issuer: 'middle', days: 1000, extensions: authority() },
  { name: 'limited', subject: '/CN=Limited', issuer: 'root', days: 1000, extensions: authority(0) },
  { name: 'below', subject: '/CN=Below', issuer: 'limited', days: 1000, extensions: authority() },
  { name: 'client', subject: '/CN=Client', issuer: 'root', days: 1000 },
  {
    name: 'signer',
    subject: '/CN=Signer',
    issuer: 'root',
    extensions: ['basicConstraints=CA:TRUE', 'keyUsage=digitalSignature'],
  },
  // The same name and key under another authority, which is a second way up.
  { name: 'renewed', subject: '/CN=Middle', issuer: 'other', days: 50, key: 'middle', extensions: authority() },
  { name: 'expiring', subject: '/CN=Expiring', issuer: 'root', days: 10, extensions: authority() },
]
const LEAVES: readonly CertificatePlan[] = Array.from({ length: 110 }, (_, at) => {
  const issuer = ISSUERS[at % ISSUERS.length]
  return {
    name: `leaf${at}`,
    subject: SUBJECTS[at % SUBJECTS.length] ?? '/CN=x',
    ...(issuer === undefined ? {} : { issuer }),
    days: 1 + at * 3,
    key: KEY_NAMES[at % KEY_NAMES.length] ?? 'p256',
    digest: ['sha256', 'sha384', 'sha512', 'sha1'][at % 4] ?? 'sha256',
    extensions: NAMES[at % NAMES.length] ?? [],
  }
})

const DAY = 86_400

describe.skipIf(needsPrograms('openssl'))('certificates as openssl sees them', () => {
  let directory = ''
  const parsed = new Map<string, ParsedCertificate>()

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'driftgate-certificates-'))
    makeKeys(directory, {
      ...KEYS,
      ...Object.fromEntries(AUTHORITIES.map(({ name }) => [name, name === 'other' ? (KEYS['rsa'] ?? EC) : EC])),
    })
    makeCertificates(directory, [...AUTHORITIES, ...LEAVES])
    for (const { name } of [...AUTHORITIES, ...LEAVES]) {
      const path = join(directory, `${name}.pem`)
      const found = parseCertificates(readFileSync(path), path)
      if (found.kind === 'known' && found.value[0] !== undefined) parsed.set(name, found.value[0])
    }
    return () => rmSync(directory, { recursive: true })
  }, 60_000)

  const get = (name: string): ParsedCertificate => {
    const found = parsed.get(name)
    if (found === undefined) throw new Error(`${name} was not read`)
    return found
  }

  test('say the same of themselves, and of how long they are valid', () => {
    for (const [at, { name, days = 0 }] of LEAVES.entries()) {
      const seconds = (days - (at % 3)) * DAY
      const end = ['-checkend', String(seconds)]
      const args = ['x509', '-in', join(directory, `${name}.pem`), '-noout', '-text', '-subject', '-issuer', '-enddate']
      const { stdout: told } = spawnSync(
        'openssl',
        [...args, ...end, '-nameopt', 'esc_ctrl,utf8,sep_comma_plus_space,sname'],
        {
          encoding: 'utf8',
        },
      )
      const line = (pattern: RegExp): string => pattern.exec(told)?.[1] ?? ''
      const { certificate } = get(name)
      const names = line(/Subject Alternative Name:.*\n\s*(.*)/)
        .split(', ')
        .flatMap((each) => /^(?:DNS|IP Address):(.*)$/.exec(each)?.[1] ?? [])
      expect({ name, bits: certificate.keyBits, signature: certificate.signature }).toEqual({
        name,
        bits: Number(
          line(/Public-Key: \((\d+) bit/) || { ED25519: 256, ED448: 456 }[line(/Public Key Algorithm: (ED\w+)/)],
        ),
        signature: line(/Signature Algorithm: (\S+)/),
      })
      expect(certificate.notAfterMs).toBe(Date.parse(line(/notAfter=(.*)/)))
      expect(certificate.names.map(canonicalAddress)).toEqual(names.map((each) => canonicalAddress(each.toLowerCase())))
      expect([name, certificate.notAfterMs > Date.now() + seconds * 1000]).toEqual([
        name,
        told.includes('will not expire'),
      ])
      expect(certificate.issuer.replaceAll(/\\(.)/g, '$1')).toBe(line(/^issuer=(.*)$/m))
      expect(certificate.subject.replace('\n', ', ').replaceAll(/\\(.)/g, '$1')).toBe(line(/^subject=(.*)$/m))
    }
  }, 60_000)

  const MEANS = [
    { trusted: ['root'], sent: [] },
    { trusted: ['root'], sent: ['middle', 'deep', 'limited', 'below', 'client', 'signer', 'expiring'] },
    { trusted: ['other', 'root'], sent: ['renewed', 'middle', 'deep'] },
    { trusted: ['other'], sent: ['deep', 'renewed'] },
    { trusted: ['middle'], sent: ['deep'] },
    { trusted: ['root', 'limited', 'leaf10', 'leaf21'], sent: ['below'] },
  ] as const
  const now = Math.floor(Date.now() / 1000)
  const TIMES = [now, now - DAY, now + 20 * DAY, now + 120 * DAY, now + 1500 * DAY]

  test(`lead to a trusted authority, or do not: ${MEANS.length * TIMES.length * LEAVES.length} questions`, () => {
    const results = { valid: 0, invalid: 0 }
    for (const [index, { trusted, sent }] of MEANS.entries()) {
      const file = (kind: string, names: readonly string[]): string => {
        const path = join(directory, `${kind}${index}.pem`)
        writeFileSync(path, names.map((name) => readFileSync(join(directory, `${name}.pem`), 'utf8')).join(''))
        return path
      }
      const untrusted = sent.length === 0 ? [] : ['-untrusted', file('sent', sent)]
      const means = [...untrusted, '-no-CAfile', '-no-CApath', '-no-CAstore', '-CAfile', file('trusted', trusted)]
      for (const time of TIMES) {
        const { stdout } = spawnSync(
          'openssl',
          [
            'verify',
            '-auth_level',
            '0',
            ...means,
            '-attime',
            `${time}`,
            ...LEAVES.map(({ name }) => join(directory, `${name}.pem`)),
          ],
          { encoding: 'utf8' },
        )
        for (const { name } of LEAVES) {
          const isValid = stdout.includes(`${join(directory, `${name}.pem`)}: OK`)
          const judged = judgeChain(get(name), {
            trusted: trusted.map(get),
            intermediates: sent.map(get),
            nowMs: time * 1000,
          })
          const said = judged.kind === 'known' ? judged.value === null : judged
          expect({ name, index, time: time - now, said }).toEqual({ name, index, time: time - now, said: isValid })
          results[isValid ? 'valid' : 'invalid']++
        }
      }
    }
    expect(results.valid).toBeGreaterThan(200)
    expect(results.invalid).toBeGreaterThan(200)
  }, 60_000)
})

/** openssl writes out every group of an address. */
function canonicalAddress(name: string): string {
  return name.includes(':') ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name
}
