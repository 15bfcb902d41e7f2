import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, type Row, verdictOf } from './host.ts'

/** A host with postfix on the loopback alone, and these services. @see master(5) */
function postfixWith(services: string): Host {
  const main = { 'etc/postfix/main.cf': 'inet_interfaces = loopback-only\n' }
  return { files: { ...DEBIAN, ...main, 'etc/postfix/master.cf': `smtp inet n - y - - smtpd\n${services}\n` } }
}

/** The same with another instance. @see postmulti(1) */
function instanceWith(main: string): Host {
  const first = 'inet_interfaces = loopback-only\nmulti_instance_directories = /etc/postfix-out, /etc/postfix-in\n'
  const { files } = postfixWith('')
  return { files: { ...files, 'etc/postfix/main.cf': first, 'etc/postfix-in/main.cf': `${main}\n` } }
}

/** A host with exim, as update-exim4.conf(8) has it. */
function eximWith(interfaces: string, more: Files = {}): Host {
  const conf = { 'etc/exim4/update-exim4.conf.conf': `dc_local_interfaces='${interfaces}'\n` }
  return { files: { ...DEBIAN, 'usr/sbin/exim4': 'x', ...conf, ...more } }
}

const OWN_EXIM = { 'etc/exim4/exim4.conf': 'local_interfaces = <; 127.0.0.1 ; 192.0.2.1\n' }

/** sendmail.cf of the package of Debian, in part. */
const SENDMAIL = `# Alias for this host
O AliasFile=/etc/mail/aliases
O DaemonPortOptions=Family=inet,  Name=MTA-v4, Port=smtp, Addr=127.0.0.1
O DaemonPortOptions=Family=inet6, Name=MTA-v6, Port=smtp, Addr=::1
O DeliveryMode=background
Kaccess hash /etc/mail/access
`

function sendmailWith(cf: string): Host {
  return { files: { ...DEBIAN, 'usr/libexec/sendmail/sendmail': 'x', 'etc/mail/sendmail.cf': cf } }
}

/** A host with OpenSMTPD. @see smtpd.conf(5) */
function smtpdWith(lines: string): Host {
  const conf = `table aliases file:/etc/aliases\n\n${lines}\nlimit mta inet4\nmatch for local action "local"\n`
  return { files: { ...DEBIAN, 'usr/sbin/smtpd': 'x', 'etc/smtpd.conf': conf } }
}

/** A host with courier, whose submission server is off as in the package. */
function courierWith(lines: string): Host {
  const msa = { 'etc/courier/esmtpd-msa': 'ADDRESS=0\nESMTPDSTART=NO\n' }
  return { files: { ...DEBIAN, 'usr/sbin/esmtpd': 'x', 'etc/courier/esmtpd': `PORT=smtp\n${lines}\n`, ...msa } }
}

test.skipIf(needsRoot).each<Row>([
  ...(
    [
      ['multi_instance_enable = yes', 'drifted'],
      ['multi_instance_enable = yes\ninet_interfaces = all', 'drifted'],
      ['multi_instance_enable = yes\ninet_interfaces = loopback-only', 'compliant'],
      ['multi_instance_enable = yes\nmaster_service_disable = inet', 'compliant'],
      ['inet_interfaces = all', 'compliant'],
    ] as const
  ).map(([main, verdict]): Row => [
    '@cis-debian-12 2.1.21',
    `another instance of postfix: ${main}`,
    instanceWith(main),
    verdict,
  ]),
  [
    '@cis-debian-12 2.1.21',
    'services of postfix on the loopback',
    postfixWith('[::1]:10025 inet n - n - - smtpd'),
    'compliant',
  ],
  [
    '@cis-debian-12 2.1.21',
    'a service of postfix at an address',
    postfixWith('192.0.2.5:2525 inet n - y - - smtpd'),
    'drifted',
  ],
  [
    '@cis-debian-12 2.1.21',
    'a service of postfix without an address',
    postfixWith(':submission inet n - y - - smtpd'),
    'compliant',
  ],
  ['@cis-debian-12 2.1.21', 'exim on the loopback', eximWith('127.0.0.1 ; ::1'), 'compliant'],
  ['@cis-debian-12 2.1.21', 'exim at all addresses', eximWith(''), 'drifted'],
  ['@cis-debian-12 2.1.21', 'exim at one more address', eximWith('127.0.0.1 ; 192.0.2.1'), 'drifted'],
  ['@cis-debian-12 2.1.21', 'exim with a file of its own', eximWith('127.0.0.1', OWN_EXIM), 'drifted'],
  ...(
    [
      ['sendmail on the loopback', sendmailWith(SENDMAIL), 'compliant'],
      ['sendmail at all addresses', sendmailWith(SENDMAIL.replace(', Addr=127.0.0.1', '')), 'drifted'],
      ['sendmail without an option', sendmailWith(SENDMAIL.replaceAll('O Daemon', '#O Daemon')), 'drifted'],
      ['OpenSMTPD as its package has it', smtpdWith('listen on localhost'), 'compliant'],
      ['OpenSMTPD at all addresses, too', smtpdWith('listen on lo\nlisten on all port 25'), 'drifted'],
      ['courier on the loopback', courierWith('ADDRESS=127.0.0.1\nESMTPDSTART=YES'), 'compliant'],
      ['courier at all addresses', courierWith('ESMTPDSTART=YES'), 'drifted'],
      ['courier that is off', courierWith('ESMTPDSTART=NO'), 'compliant'],
    ] as const
  ).map(([title, host, verdict]): Row => ['@cis-debian-12 2.1.21', title, host, verdict]),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
