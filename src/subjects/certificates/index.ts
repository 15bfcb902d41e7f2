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
      'The absolute path of a file in PEM or DER, whose first certificate is checked and whose others form the chain, or `HOST:PORT` of a server that speaks TLS from the start. It must always be valid now (`validity`). With `--no-commands` or `--untrusted` no server is contacted.',
  },
  server_name: {
    kind: 'text',
    nonEmpty: true,
    summary: 'The server name to request (SNI). The host by default.',
  },
  days_left: {
    kind: 'integer',
    accepts: 'number',
    summary: 'Whole days until it expires, such as `{ at_least: 30 }`.',
  },
  names: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'A name of a host, or an address.' },
    accepts: 'set',
    summary:
      'Its host names and addresses, in lower case. `includes` matches wildcards. The common name of the subject is ignored.',
  },
  subject: {
    kind: 'text',
    accepts: 'text',
    summary: 'Subject, in the order of the certificate: `C=DE, O=Example, CN=www.example.org`.',
  },
  issuer: { kind: 'text', accepts: 'text', summary: 'The issuer, in the same notation.' },
  key_type: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    summary: 'Key type: `rsa`, `ec`, `ed25519`, `dsa`.',
  },
  key_bits: {
    kind: 'integer',
    minimum: 1,
    accepts: 'number',
    summary: 'Key length in bits; of an elliptic curve its size.',
  },
  signature: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    summary: 'Signature algorithm, as named by openssl: `sha256WithRSAEncryption`, `ecdsa-with-SHA384`, `ED25519`.',
  },
  chain: {
    kind: 'text',
    oneOf: ['valid'],
    summary:
      'Whether it chains to a trusted authority: signatures, names, validity periods and CA constraints are verified. Revocation and key usage are not checked. Name constraints and unknown critical extensions make it an error.',
  },
  ca: {
    kind: 'text',
    absolutePath: true,
    parameter: true,
    summary: 'The file with the trusted authorities; by default those of the system.',
  },
  same_as: {
    kind: 'text',
    absolutePath: true,
    summary:
      'The file whose first certificate it must equal: a server that was not reloaded still presents the old one.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    parameter: true,
    summary: 'Verdict if the file does not exist. A server that does not answer is an error.',
  },
})

const exports = defineExports({
  not_after: { kind: 'text', summary: 'Expiry time, such as `2030-01-31T12:00:00Z`.' },
  sha256: { kind: 'text', summary: 'Its fingerprint, in hex.' },
})

const NEVER_APPLIED = { kind: 'failed', message: 'a fix does not issue certificates' } as const

export const certificate: ResourceType = defineResource({
  type: 'certificate',
  summary: 'Certificates in files and on TLS servers: validity, names, keys and chain of trust.',
  properties,
  rules: [
    {
      reads: ['name'],
      at: 'name',
      check({ name }) {
        if (name === undefined || name.startsWith('/') || addressOf(name) !== undefined) return undefined
        return 'name must be an absolute path or HOST:PORT, with an IPv6 address in brackets'
      },
    },
    {
      summary: '`server_name` requires a server, `ca` requires `chain`.',
      reads: ['name', 'server_name', 'chain', 'ca'],
      check({ name = '', server_name: serverName, chain, ca }) {
        if (serverName !== undefined && name.startsWith('/')) return 'server_name does not apply to a file'
        if (serverName !== undefined && serverName.length > BYTES_OF_NAME)
          return 'server_name is too long for a host name'
        return ca !== undefined && chain === undefined ? 'ca requires "chain: valid"' : undefined
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
      title: 'The server presents the certificate in the file',
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
