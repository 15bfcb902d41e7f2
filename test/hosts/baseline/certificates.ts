import type { LayeredRule } from './layered.ts'

const DIRECTORY = '/etc/ssl/site'

/** An authority, an untrusted one, and certificates that openssl issues: `issue NAME [KEY] [OPTION OF openssl ca...]`. */
export const AUTHORITIES = `mkdir -p ${DIRECTORY}; cd ${DIRECTORY}
cat > /root/ca.cnf <<'END'
[ca]
default_ca=own
[own]
database=/root/index.txt
new_certs_dir=/root
rand_serial=yes
default_md=sha256
default_days=365
unique_subject=no
copy_extensions=copy
policy=any
[any]
commonName=supplied
END
: > /root/index.txt
for each in ca other; do
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /root/$each.key -out $each.crt -days 3650 -subj "/CN=The $each" 2>/dev/null
done
cat > /usr/local/bin/issue <<'END'
#!/bin/sh
set -eu
name=$1 key=$2 host=$3 authority=$4
shift 4
case $key in ec) kind='ec -pkeyopt ec_paramgen_curve:P-256' ;; *) kind=rsa:$key ;; esac
openssl req -newkey $kind -nodes -keyout /root/$name.key -out /root/$name.csr -subj "/CN=$host" -addext "subjectAltName=DNS:$host" 2>/dev/null
openssl ca -batch -notext -config /root/ca.cnf -cert ${DIRECTORY}/$authority.crt -keyfile /root/$authority.key -in /root/$name.csr -out ${DIRECTORY}/$name.pem "$@" 2>/dev/null
END
chmod 0755 /usr/local/bin/issue`

interface Row {
  readonly wanted: Readonly<Record<string, unknown>>
  readonly violation: string
  readonly drift: LayeredRule['drift']
}

const file = (name: string): string => `${DIRECTORY}/${name}.pem`
const HOST = 'www.example.org'

const ROWS: Readonly<Record<string, Row>> = {
  expired: {
    wanted: {},
    violation: `issue expired 2048 ${HOST} ca -startdate 20190101000000Z -enddate 20200101000000Z`,
    drift: [['validity', 'not after 2020-01-01T00:00:00Z']],
  },
  'not-yet': {
    wanted: {},
    violation: `issue not-yet 2048 ${HOST} ca -startdate 20480101000000Z -enddate 20490101000000Z`,
    drift: [['validity', 'not before 2048-01-01T00:00:00Z']],
  },
  horizon: {
    wanted: { days_left: { at_least: 30 } },
    violation: `issue horizon 2048 ${HOST} ca -days 10`,
    drift: [['days_left', 9]],
  },
  name: {
    wanted: { names: { includes: [HOST] } },
    violation: 'issue name 2048 mail.example.org ca',
    drift: [['names', 'mail.example.org']],
  },
  weak: {
    wanted: { key_bits: { at_least: 2048 } },
    violation: `issue weak 1024 ${HOST} ca`,
    drift: [['key_bits', 1024]],
  },
  kind: { wanted: { key_type: 'rsa' }, violation: `issue kind ec ${HOST} ca`, drift: [['key_type', 'ec']] },
  signature: {
    wanted: { signature: { none_of: ['ecdsa-with-SHA1', 'sha1WithRSAEncryption'] } },
    violation: `issue signature 2048 ${HOST} ca -md sha1`,
    drift: [['signature', 'ecdsa-with-SHA1']],
  },
  chain: {
    wanted: { chain: 'valid', ca: `${DIRECTORY}/ca.crt` },
    violation: `issue chain 2048 ${HOST} other`,
    drift: [['chain', 'invalid']],
  },
  issuer: {
    wanted: { issuer: 'CN=The ca' },
    violation: `issue issuer 2048 ${HOST} other`,
    drift: [['issuer', 'CN=The other']],
  },
  subject: {
    wanted: { subject: `CN=${HOST}` },
    violation: 'issue subject 2048 old.example.org ca',
    drift: [['subject', 'CN=old.example.org']],
  },
  gone: { wanted: {}, violation: `rm ${file('gone')}`, drift: [['ensure', 'absent']] },
}

/** Certificates in files. No fix makes one: the operator has it issued again. */
export const certificates: readonly LayeredRule[] = Object.entries(ROWS).map(([name, { wanted, ...row }]) => ({
  type: 'certificate',
  name: file(name),
  properties: wanted,
  prepare: `issue ${name} 2048 ${HOST} ca`,
  repair: `issue ${name} 2048 ${HOST} ca`,
  ...row,
}))
