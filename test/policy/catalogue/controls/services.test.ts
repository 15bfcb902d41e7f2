import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, verdictOf, WANTS } from './host.ts'

const UNITS = 'usr/lib/systemd/system'

/** A host with these units, of which some are enabled. */
function unitsWith(units: Files, links: Files, more: Files = {}): Host {
  const placed = Object.fromEntries(Object.entries(units).map(([name, text]) => [`${UNITS}/${name}`, text]))
  const directories = { [`${WANTS}/.keep`]: '', 'etc/systemd/system/sockets.target.wants/.keep': '' }
  return { files: { ...DEBIAN, 'usr/bin/systemctl': 'x', ...directories, ...placed, ...more }, links }
}

const TIMESYNCD: Files = {
  'systemd-timesyncd.service':
    '[Service]\nExecStart=/usr/lib/systemd/systemd-timesyncd\n[Install]\nWantedBy=multi-user.target\n',
}
const TIMESYNCD_ON = { [`${WANTS}/systemd-timesyncd.service`]: `/${UNITS}/systemd-timesyncd.service` }

const TIMESYNCD_UNIT = 'etc/systemd/system/systemd-timesyncd.service'

/** A host whose systemd-timesyncd starts with the system, and has this drop-in, at this path below the units of the site. */
function timesyncdWith(lines: string, dropIn = 'systemd-timesyncd.service.d/a.conf'): Host {
  return unitsWith(TIMESYNCD, TIMESYNCD_ON, { [`etc/systemd/system/${dropIn}`]: `[Service]\n${lines}\n` })
}

const PACKAGES: Files = {
  'usr/bin/dpkg-query': 'x',
  'var/lib/dpkg/status': ['dpkg', 'systemd-timesyncd']
    .map((name) => `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n`)
    .join(''),
}

const JOURNALD: Files = { 'systemd-journald.service': '[Service]\nExecStart=/usr/lib/systemd/systemd-journald\n' }
const SYSINIT = `${UNITS}/sysinit.target.wants`

/** A host with cron and at, whose files of users have these modes; the deny files have no effect beside the others. */
function jobsWith(os: Files, modes: Readonly<Record<string, number>>): Host {
  const programs = { 'usr/bin/crontab': 'x', 'usr/bin/at': 'x' }
  return { files: { ...os, ...programs, ...Object.fromEntries(Object.keys(modes).map((path) => [path, ''])) }, modes }
}

/** A host whose system starts an instance of a template. */
function instanceOf(unit: string, os: Files): Host {
  return unitsWith({}, { [`${WANTS}/${unit}`]: `/${UNITS}/${unit.replace(/@.*(?=[.])/, '@')}` }, os)
}

test.skipIf(needsRoot).each<Row>([
  // rsync(1): --daemon makes it a server.
  ...(
    [
      ['/usr/bin/rsync -a /srv /backup', 'compliant'],
      ['/usr/bin/rsync --no-detach --daemon', 'drifted'],
      ['/usr/bin/rsync --daemonize', 'compliant'],
    ] as const
  ).map(([command, verdict]): Row => [
    '@cis-debian-12 2.1.13',
    `a service that starts ${command}`,
    unitsWith(
      { 'rsync.service': '[Service]\nExecStart=/usr/bin/rsync --daemon --no-detach\n' },
      { 'etc/systemd/system/rsync.service': '/dev/null', [`${WANTS}/a.service`]: '/etc/systemd/system/a.service' },
      { 'etc/systemd/system/a.service': `[Service]\nExecStart=${command}\n[Install]\nWantedBy=multi-user.target\n` },
    ),
    verdict,
  ]),
  // Without systemd, a unit exists as a file or init script alone.
  ...(
    [
      [{}, 'compliant'],
      [{ 'usr/lib/systemd/system/avahi-daemon.service': '[Service]\nExecStart=/usr/sbin/avahi-daemon\n' }, 'error'],
      [{ 'etc/init.d/avahi-daemon': '#!/bin/sh\n' }, 'error'],
      [{ 'sbin/init': '' }, 'error'],
    ] as const
  ).map(([more, verdict]): Row => [
    '@cis-debian-12 2.1.2',
    `no systemctl, ${Object.keys(more).join() || 'no init'}`,
    { files: { ...DEBIAN, ...more } },
    verdict,
  ]),
  ['@cis-debian-12 6.1.1.1', 'no systemctl', { files: DEBIAN }, 'drifted'],
  ...['2.4.1.2', '2.4.1.3', '2.4.1.7', '2.4.1.8', '2.4.2.1', '1.4.1', '1.4.2'].map((id): Row => [
    `@cis-debian-12 ${id}`,
    'without cron, at and GRUB',
    { files: { ...DEBIAN, 'etc/cron.daily/a': '', 'etc/cron.d/a': '' } },
    'not-applicable',
  ]),
  ...['usr/sbin/cron', 'usr/sbin/crond', 'usr/sbin/anacron', 'etc/crontab'].map((path): Row => [
    '@cis-debian-12 2.4.1.4',
    `a directory of jobs that ${path} runs`,
    { files: { ...DEBIAN, 'etc/cron.daily/a': '', [path]: '' } },
    'drifted',
  ]),
  ...['boot/grub/a', 'boot/efi/EFI/debian/a', 'etc/default/grub'].map((path): Row => [
    '@cis-debian-12 1.4.1',
    `${path} without a menu`,
    { files: { ...DEBIAN, [path]: '' } },
    'error',
  ]),
  ['@cis-debian-12 6.1.1.1', 'a static unit that nothing starts', unitsWith(JOURNALD, {}), 'error'],
  [
    '@cis-debian-12 6.1.1.1',
    'a static unit of sysinit.target',
    unitsWith(
      JOURNALD,
      { [`${SYSINIT}/systemd-journald.service`]: '../systemd-journald.service' },
      { [`${SYSINIT}/.keep`]: '' },
    ),
    'compliant',
  ],
  // systemd.service(5), ExecStart=; systemd.unit(5) about drop-ins
  ...(
    [
      ['a drop-in with another program', timesyncdWith('ExecStart=\nExecStart=/bin/true'), 'drifted'],
      ['a script of the site', timesyncdWith('ExecStart=\nExecStart=/usr/local/bin/timesyncd'), 'error'],
      ['no program', timesyncdWith('ExecStart='), 'drifted'],
      [
        'the program itself with options',
        timesyncdWith('ExecStart=\nExecStart=!!/usr/lib/systemd/systemd-timesyncd --x'),
        'compliant',
      ],
      ['a drop-in about something else', timesyncdWith('Nice=19'), 'compliant'],
      ['a drop-in of all such names', timesyncdWith('ExecStart=/bin/true', 'systemd-.service.d/a.conf'), 'drifted'],
      [
        'a drop-in of another name',
        timesyncdWith('ExecStart=/bin/true', 'systemd-time-.service.d/a.conf'),
        'compliant',
      ],
      ['a drop-in of all services', timesyncdWith('ExecStart=/bin/true', 'service.d/a.conf'), 'drifted'],
      [
        'a drop-in of a package',
        unitsWith(
          {
            ...TIMESYNCD,
            'systemd-timesyncd.service.d/a.conf': '[Service]\nExecStart=\nExecStart=/usr/bin/faketime\n',
          },
          TIMESYNCD_ON,
        ),
        'compliant',
      ],
      ['a command before it that fails', timesyncdWith('ExecStartPre=/bin/false'), 'error'],
      ['a command after it that stops it', timesyncdWith('ExecStartPost=systemctl stop systemd-timesyncd'), 'error'],
      ['a command after it that does not', timesyncdWith('ExecStartPost=-/usr/bin/logger on'), 'compliant'],
      ['a test before it', timesyncdWith('ExecStartPre=/usr/bin/test -e /srv/ready'), 'error'],
      ['a script before it that fails', timesyncdWith('ExecStartPre=!/bin/sh -c "exit 1"'), 'error'],
      ['a script before it', timesyncdWith('ExecStartPre=/usr/local/bin/test-clock.sh'), 'compliant'],
      ['a command before it that may fail', timesyncdWith('ExecStartPre=-/bin/false'), 'compliant'],
      ['a program with a part of its name', timesyncdWith('ExecStart=\nExecStart=/usr/bin/timesync'), 'error'],
      ['a condition of the site', timesyncdWith('[Unit]\nConditionPathExists=/nowhere'), 'error'],
      [
        'a unit of the site in its place',
        unitsWith(TIMESYNCD, TIMESYNCD_ON, { [TIMESYNCD_UNIT]: '[Service]\nExecStart=/bin/true\n' }),
        'drifted',
      ],
      [
        'a unit that the site alone has',
        unitsWith(
          {},
          { [`${WANTS}/systemd-timesyncd.service`]: `/${TIMESYNCD_UNIT}` },
          { [TIMESYNCD_UNIT]: TIMESYNCD['systemd-timesyncd.service'] ?? '' },
        ),
        'compliant',
      ],
    ] as const
  ).map(([title, host, verdict]): Row => [
    '@cis-debian-12 2.3.1.1',
    title,
    { ...host, files: { ...host.files, ...PACKAGES } },
    verdict,
  ]),
  ...(
    [
      ['a masked service', {}, 'compliant'],
      [
        'its program in another unit',
        { 'site.service': '[Service]\nExecStart=-/usr/sbin/avahi-daemon -s\n' },
        'drifted',
      ],
      ['another program', { 'site.service': '[Service]\nExecStart=/usr/sbin/avahi-autoipd\n' }, 'compliant'],
    ] as const
  ).map(([title, more, verdict]): Row => {
    const units = { 'avahi-daemon.service': '[Service]\nExecStart=/usr/sbin/avahi-daemon -s\n', ...more }
    const links = { [`${WANTS}/site.service`]: `/${UNITS}/site.service` }
    const mask = { 'etc/systemd/system/avahi-daemon.service': '' }
    return ['@cis-debian-12 2.1.2', title, unitsWith(units, links, mask), verdict]
  }),
  // crontab(1), at(1)
  ...(
    [
      ['@cis-debian-12 2.4.1.8', DEBIAN, { 'etc/cron.allow': 0o640, 'etc/cron.deny': 0o640 }, 'compliant'],
      ['@cis-debian-12 2.4.1.8', DEBIAN, { 'etc/cron.allow': 0o640, 'etc/cron.deny': 0o666 }, 'drifted'],
      ['@cis-debian-12 2.4.1.8', DEBIAN, { 'etc/cron.deny': 0o640 }, 'drifted'],
      ['@cis-rhel-9 2.4.1.8', RHEL, { 'etc/cron.allow': 0o600, 'etc/cron.deny': 0o600 }, 'compliant'],
      ['@linux cron-allow', DEBIAN, { 'etc/cron.allow': 0o600, 'etc/cron.deny': 0o600 }, 'compliant'],
      ['@cis-rhel-9 2.4.2.1', RHEL, { 'etc/at.allow': 0o600, 'etc/at.deny': 0o644 }, 'drifted'],
      ['@cis-rhel-9 2.4.2.1', RHEL, { 'etc/at.allow': 0o600, 'etc/at.deny': 0o640 }, 'compliant'],
    ] as const
  ).map(([control, os, modes, verdict]): Row => [control, JSON.stringify(modes), jobsWith(os, modes), verdict]),
  ...(
    [
      ['@cis-debian-12 2.1.5', 'dnsmasq@site.service', DEBIAN, 'drifted'],
      ['@cis-debian-12 2.1.18', 'apache2@site.service', DEBIAN, 'drifted'],
      ['@cis-debian-12 2.1.18', 'app@site.service', DEBIAN, 'compliant'],
      ['@cis-rhel-9 2.1.7', 'vsftpd@site.service', RHEL, 'drifted'],
      ['@cis-rhel-9 2.1.18', 'httpd@site.service', RHEL, 'drifted'],
    ] as const
  ).map(([control, unit, os, verdict]): Row => [control, unit, instanceOf(unit, os), verdict]),
  // proftpd.socket of the package starts a server for each connection.
  [
    '@cis-debian-12 2.1.6',
    'the socket of a masked server',
    unitsWith(
      {
        'proftpd.service': '[Service]\nExecStart=/usr/sbin/proftpd\n',
        'proftpd@.service': '[Service]\nExecStart=-/usr/sbin/proftpd\n',
        'proftpd.socket': '[Socket]\nListenStream=21\nAccept=true\n[Install]\nWantedBy=sockets.target\n',
      },
      {
        'etc/systemd/system/proftpd.service': '/dev/null',
        'etc/systemd/system/sockets.target.wants/proftpd.socket': `/${UNITS}/proftpd.socket`,
      },
    ),
    'drifted',
  ],
  // ntp of Debian 12 is ntpsec.
  [
    '@cis-debian-12 2.3.1.1',
    'ntpsec beside timesyncd',
    unitsWith(
      {
        ...TIMESYNCD,
        'ntpsec.service':
          '[Service]\nExecStart=/usr/sbin/ntpd\n[Install]\nAlias=ntp.service\nWantedBy=multi-user.target\n',
      },
      { ...TIMESYNCD_ON, [`${WANTS}/ntpsec.service`]: `/${UNITS}/ntpsec.service` },
      PACKAGES,
    ),
    'drifted',
  ],
  ['@cis-debian-12 2.3.1.1', 'timesyncd alone', unitsWith(TIMESYNCD, TIMESYNCD_ON, PACKAGES), 'compliant'],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
