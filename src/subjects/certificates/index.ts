import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { addressOf, dateOf } from './words.ts'
import { type CertificateState, type CertificateDesired, decideCertificate } from './decide.ts'

const BYTES_OF_NAME = 253

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    summary:
      'The absolute path of a file in PEM or DER, of which the first certificate counts and the others are sent along, or `HOST:PORT` of a server that speaks TLS from the start. It must always be valid now (`validity`). With `--no-commands` or `--untrusted` no server is contacted.',
  },
  server_name: {
    kind: 'text',
    nonEmpty: true,
    summary: 'The name that a server is asked for (SNI). The host where it is not there.',
  },
  days_left: {
    kind: 'integer',
    accepts: 'number',
    summary: 'For how many whole days it is still valid, such as `{ at_least: 30 }`.',
  },
  names: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'A name of a host, or an address.' },
    accepts: 'set',
    summary:
      'Its host names and addresses, in lower case. `includes` matches wildcards. The common name of the subject does not count.',
  },
  subject: {
    kind: 'text',
    accepts: 'text',
    summary: 'Whose it is, in the order in which it stands: `C=DE, O=Example, CN=www.example.org`.',
  },
  issuer: { kind: 'text', accepts: 'text', summary: 'The issuer, in the same notation.' },
  key_type: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    summary: 'What its key is: `rsa`, `ec`, `ed25519`, `dsa`.',
  },
  key_bits: {
    kind: 'integer',
    minimum: 1,
    accepts: 'number',
    summary: 'How long its key is, that of an elliptic curve as long as the curve.',
  },
  signature: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    summary: 'How it is signed, as openssl calls it: `sha256WithRSAEncryption`, `ecdsa-with-SHA384`, `ED25519`.',
  },
  chain: {
    kind: 'text',
    oneOf: ['valid'],
    summary:
      'Whether it leads, over those that are sent along, to an authority that is trusted: signatures, names, times, and who may issue. Whether something was revoked, and for what a key may be used, is not asked. Constraints of names and critical extensions that are not known make it an error.',
  },
  ca: {
    kind: 'text',
    absolutePath: true,
    parameter: true,
    summary: 'The file with the authorities that are trusted; those of the system where it is not there.',
  },
  same_as: {
    kind: 'text',
    absolutePath: true,
    summary:
      'The file whose first certificate it has to be: a server that was not told of a new one shows the old one.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    parameter: true,
    summary: 'What it is if there is no such file. A server that does not answer is an error.',
  },
})

const exports = defineExports({
  not_after: { kind: 'text', summary: 'Until when it is valid, such as `2030-01-31T12:00:00Z`.' },
  sha256: { kind: 'text', summary: 'Its fingerprint, in hex.' },
})

const NEVER_APPLIED = { kind: 'failed', message: 'certificates are never made by a fix' } as const

export const certificate: ResourceType = defineResource({
  type: 'certificate',
  summary:
    'Certificates in files and as servers show them: how long they are valid, for whom, and who vouches for them.',
  properties,
  rules: [
    {
      reads: ['name'],
      at: 'name',
      check({ name }) {
        if (name === undefined || name.startsWith('/') || addressOf(name) !== undefined) return undefined
        return 'name must be an absolute path, or HOST:PORT with an address of IPv6 in brackets'
      },
    },
    {
      summary: '`server_name` is about a server, `ca` about the `chain`.',
      reads: ['name', 'server_name', 'chain', 'ca'],
      check({ name = '', server_name: serverName, chain, ca }) {
        if (serverName !== undefined && name.startsWith('/')) return 'server_name means nothing for a file'
        if (serverName !== undefined && serverName.length > BYTES_OF_NAME) return 'server_name is too long for a name'
        return ca !== undefined && chain === undefined ? 'ca means nothing without "chain: valid"' : undefined
      },
    },
  ],
  exports,
  drifts: [
    'ensure',
    'validity',
    'days_left',
    'names',
    'subject',
    'issuer',
    'key_type',
    'key_bits',
    'signature',
    'chain',
    'same_as',
  ],
  examples: [
    {
      title: 'A certificate that is renewed in time',
      yaml: `
        certificate:
          - /etc/ssl/certs/www.example.org.pem:
              days_left: { at_least: 30 }
              names: { includes: [www.example.org] }
              key_bits: { at_least: 2048 }
              chain: valid
              if_absent: compliant`,
    },
    {
      title: 'The server shows what the file holds',
      yaml: `
        certificate:
          - localhost:443:
              server_name: www.example.org
              same_as: /etc/ssl/certs/www.example.org.pem`,
    },
  ],
  async observe(target, wanted: CertificateDesired, context) {
    // OpenSSL is loaded on demand, because few policies need it.
    return (await import('./observe.ts')).observeCertificate(target, wanted, context)
  },
  decide: decideCertificate,
  apply: async () => NEVER_APPLIED,
  exportsOf(_wanted, observed: Seen<CertificateState>): ExportsOf<typeof exports> {
    if (observed.kind === 'absent') return {}
    const { notAfterMs, fingerprint } = observed.state.certificate
    return { not_after: dateOf(notAfterMs), sha256: fingerprint }
  },
})
