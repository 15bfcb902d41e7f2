import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, verdictOf } from './host.ts'

const LOCK = `[org/gnome/desktop/session]
idle-delay=uint32 900
[org/gnome/desktop/screensaver]
lock-delay=uint32 5
`

/** A desktop with these keyfiles in the database of the users. */
function desktopWith(keyfile: string, base = DEBIAN): Host {
  const files = {
    'usr/bin/dconf': 'x',
    [base === RHEL ? 'etc/gdm/custom.conf' : 'etc/gdm3/daemon.conf']: '',
    'etc/dconf/profile/user': 'user-db:user\nsystem-db:local\n',
    'etc/dconf/db/local.d/00': keyfile,
  }
  return { files: { ...base, ...files } }
}

/** A login screen with this text. */
function bannerOf(text: string): Host {
  const files: Files = {
    ...desktopWith('').files,
    'etc/dconf/profile/gdm': 'user-db:user\nsystem-db:gdm\n',
    'etc/dconf/db/gdm.d/00': `[org/gnome/login-screen]\nbanner-message-enable=true\nbanner-message-text=${text}\n`,
    'etc/dconf/db/gdm.d/locks/00': '/org/gnome/login-screen/banner-message-enable\n',
  }
  return { files }
}

// The schemas org.gnome.desktop.lockdown and org.gnome.desktop.screensaver
test.skipIf(needsRoot).each<Row>([
  ['@cis-debian-12 1.7.4', 'the defaults of GNOME for the rest', desktopWith(LOCK), 'compliant'],
  [
    '@cis-debian-12 1.7.4',
    'sessions that never lock',
    desktopWith(`${LOCK}[org/gnome/desktop/lockdown]\ndisable-lock-screen=true\n`),
    'drifted',
  ],
  ['@cis-rhel-9 1.8.4', 'the two keys of the benchmark', desktopWith(LOCK, RHEL), 'compliant'],
  ['@cis-rhel-9 1.8.4', 'a lock that is off', desktopWith(`${LOCK}lock-enabled=false\n`, RHEL), 'drifted'],
  ...(
    [
      ["'For staff'", 'compliant'],
      [String.raw`"It's for staff\nonly"`, 'compliant'],
      ["''", 'drifted'],
      ["'  '", 'drifted'],
    ] as const
  ).map(([text, verdict]): Row => ['@cis-debian-12 1.7.2', `the banner ${text}`, bannerOf(text), verdict]),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
