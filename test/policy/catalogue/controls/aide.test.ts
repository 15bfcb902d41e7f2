import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, type Row, verdictOf } from './host.ts'

const TOOLS = ['auditctl', 'auditd', 'ausearch', 'aureport', 'autrace', 'augenrules']

/** A host with AIDE, which compares with /srv/aide.db. */
function aideWith(files: Files): Host {
  const packages = ['dpkg', 'aide', 'aide-common'].map(
    (name) => `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n`,
  )
  const conf = { 'etc/aide/aide.conf': 'database_in=file:/srv/aide.db\n', 'usr/bin/dpkg-query': 'x' }
  return { files: { ...DEBIAN, ...conf, 'var/lib/dpkg/status': packages.join(''), ...files } }
}

const TIMERS = 'etc/systemd/system/timers.target.wants'

/** A host on which timers of AIDE start with the system; those are not evaluated without a running one. */
function aideTimerWith(files: Files, more: Files = {}): Host {
  const unit = '[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n'
  const service = '[Service]\nExecStart=/usr/share/aide/bin/dailyaidecheck\n'
  const units = {
    'usr/lib/systemd/system/dailyaidecheck.timer': unit,
    'usr/lib/systemd/system/dailyaidecheck.service': service,
    'etc/systemd/system/site-aide.timer': unit,
  }
  const links = Object.fromEntries(['dailyaidecheck', 'site-aide'].map((name) => [`${TIMERS}/${name}.timer`, 'x']))
  return {
    files: { ...DEBIAN, 'usr/bin/systemctl': 'x', [`${TIMERS}/.keep`]: '', ...units, ...files },
    links: { ...links, ...more },
  }
}

const WATCHED = 'sha512+p+i+n+u+g+s+b+acl+xattrs'

test.skipIf(needsRoot).each<Row>([
  ['@cis-debian-12 6.3.1', 'the database that aide.conf names', aideWith({ 'srv/aide.db': 'x' }), 'compliant'],
  [
    '@cis-debian-12 6.3.1',
    'a database of an older configuration',
    aideWith({ 'var/lib/aide/aide.db': 'x' }),
    'drifted',
  ],
  ['@cis-debian-12 6.3.1', 'an empty database', aideWith({ 'srv/aide.db': '' }), 'error'],
  ['@cis-debian-12 6.3.2', 'the timer of the package', aideTimerWith({}), 'compliant'],
  [
    '@cis-debian-12 6.3.2',
    'a script that stops at once',
    aideTimerWith({ 'etc/default/aide': 'CRON_DAILY_RUN=no\n' }),
    'drifted',
  ],
  [
    '@cis-debian-12 6.3.2',
    'a timer whose script has no setting',
    aideTimerWith({ 'etc/default/aide': '# a comment\n' }),
    'compliant',
  ],
  [
    '@cis-debian-12 6.3.2',
    'a masked service of the timer',
    aideTimerWith({}, { 'etc/systemd/system/dailyaidecheck.service': '/dev/null' }),
    'drifted',
  ],
  [
    '@cis-debian-12 6.3.2',
    'a timer of the site',
    { ...aideTimerWith({ 'etc/default/aide': 'CRON_DAILY_RUN=no\n' }), set: ['aide_timer=site-aide.timer'] },
    'not-applicable',
  ],
  ...(
    [
      ['ExecStart=\nExecStart=/bin/true', 'drifted'],
      ['ExecStart=\nExecStart=/usr/bin/aide --check', 'compliant'],
      ['Nice=19', 'compliant'],
    ] as const
  ).map(([lines, verdict]): Row => [
    '@cis-debian-12 6.3.2',
    `a drop-in of the service with ${JSON.stringify(lines)}`,
    aideTimerWith({ 'etc/systemd/system/dailyaidecheck.service.d/override.conf': `[Service]\n${lines}\n` }),
    verdict,
  ]),
  ...(
    [
      ['other.conf', 'ExecStart=\nExecStart=/bin/true', 'drifted'],
      ['other.conf', 'ExecStart=\nExecStart=/usr/local/bin/check', 'error'],
      ['other.conf', 'ExecStart=\nExecStart=/usr/share/aide/bin/dailyaidecheck', 'compliant'],
    ] as const
  ).map(([name, lines, verdict]): Row => [
    '@cis-debian-12 6.3.2',
    `another drop-in of the service with ${JSON.stringify(lines)}`,
    aideTimerWith({ [`etc/systemd/system/dailyaidecheck.service.d/${name}`]: `[Service]\n${lines}\n` }),
    verdict,
  ]),
  ...(
    [
      ['/usr/bin/aide --check', 'compliant'],
      ['/bin/sh -c "aide --check"', 'compliant'],
      ['-/bin/echo aide', 'drifted'],
      ['/bin/true', 'drifted'],
    ] as const
  ).map(([command, verdict]): Row => [
    '@cis-debian-12 6.3.2',
    `a timer of the site that starts ${command}`,
    aideTimerWith(
      {
        'etc/systemd/system/aidecheck.timer': '[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n',
        'etc/systemd/system/aidecheck.service': `[Service]\nExecStart=${command}\n`,
      },
      { 'etc/systemd/system/timers.target.wants/aidecheck.timer': '/etc/systemd/system/aidecheck.timer' },
    ),
    verdict,
  ]),
  [
    '@cis-debian-12 6.3.3',
    'rules in a file of their own',
    {
      files: {
        ...DEBIAN,
        'etc/aide/aide.conf': '@@x_include /etc/aide/aide.conf.d ^[a-zA-Z0-9_-]+$\n',
        'etc/aide/aide.conf.d/80_audit': TOOLS.map((tool) => `/usr/sbin/${tool} ${WATCHED}\n`).join(''),
      },
    },
    'compliant',
  ],
  ...(
    [
      ['etc/default/aide', 'CONFIG="/etc/aide/aide.conf"', 'compliant'],
      ['etc/default/aide', 'CONFIG=/srv/aide.conf', 'drifted'],
      ['etc/aide/aide.conf.d/a', 'root_prefix=/srv', 'error'],
    ] as const
  ).map(([path, line, verdict]): Row => {
    const main = `@@include /etc/aide/aide.conf.d ^[a-z]$\n${TOOLS.map((tool) => `/usr/sbin/${tool} ${WATCHED}\n`).join('')}`
    const written = { 'etc/aide/aide.conf': main, 'srv/aide.conf': '', [path]: `${line}\n` }
    return ['@cis-debian-12 6.3.3', `${line} in ${path}`, { files: { ...DEBIAN, ...written } }, verdict]
  }),
  [
    '@cis-debian-12 6.3.3',
    'rules for the paths before /usr was merged',
    { files: { ...DEBIAN, 'etc/aide/aide.conf': TOOLS.map((tool) => `/sbin/${tool} ${WATCHED}\n`).join('') } },
    'drifted',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
