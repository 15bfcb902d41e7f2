import { describe, expect, onTestFinished, test } from 'vitest'
import { bootHost, type DebianHost, installDriftgate, prepareRootFilesystem } from './debian-host.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

describe.skipIf(unavailable !== undefined)(
  `taking back fixes of a host (${unavailable ?? 'booted for the test'})`,
  () => {
    test(
      'everything that a fix has changed is as before: files, packages, units, accounts, settings, mounts',
      async () => {
        const host = await bootedHost()
        await host.shell(PREPARE)
        await host.write('/root/policy.yaml', POLICY)
        const before = await host.shell(STATE)
        const fixed = await host.run(['driftgate', 'scan', '/root/policy.yaml', '--fix'])
        expect(fixed, fixed.stdout + fixed.stderr).toMatchObject({ code: 0 })
        expect(await host.shell(STATE)).not.toBe(before)

        const undone = await host.run(['driftgate', 'undo'])
        expect(undone, undone.stdout + undone.stderr).toMatchObject({ code: 0 })
        expect(await host.shell(STATE)).toBe(before)

        // And the way back, back.
        expect(await host.run(['driftgate', 'undo'])).toMatchObject({ code: 0 })
        expect(await host.run(['driftgate', 'scan', '/root/policy.yaml'])).toMatchObject({ code: 0 })
      },
      TIMEOUT_MS,
    )

    test(
      'a fix that takes the network away is taken back at its deadline, also where the host has restarted meanwhile',
      async () => {
        const host = await bootedHost()
        await host.write('/root/policy.yaml', NO_NETWORK)
        await host.shell(ANSWERS)
        await host.shell(`driftgate scan /root/policy.yaml --fix --confirm-within 2s && ! { ${ANSWERS}; }`)
        await host.shell(`until { ${ANSWERS}; }; do sleep 0.2; done`)

        await host.write('/root/motd.yaml', MOTD)
        const before = await host.shell('cat /etc/motd')
        await host.shell('driftgate scan /root/motd.yaml --fix --confirm-within 20s; grep -qx new /etc/motd')
        await host.reboot()
        await host.shell('while grep -qx new /etc/motd; do sleep 0.2; done')
        expect(await host.shell('cat /etc/motd')).toBe(before)
        // What waited has taken itself away.
        await host.shell('while ls /etc/systemd/system/driftgate-unconfirmed-* 2>/dev/null; do sleep 0.2; done')

        await host.shell('driftgate scan /root/motd.yaml --fix --confirm-within 1h')
        expect(await host.shell('driftgate confirm')).toMatch(/^the fix .* stays$/m)
        expect(await host.shell('ls /etc/systemd/system; driftgate fixes')).not.toMatch(
          /unconfirmed|unless it is confirmed/,
        )
      },
      TIMEOUT_MS,
    )
  },
)

async function bootedHost(): Promise<DebianHost> {
  if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
  const host = await bootHost(rootFilesystem.path)
  onTestFinished(host.stop)
  await installDriftgate(host)
  return host
}

const PREPARE = `
useradd -m -s /bin/sh -c 'Old comment' deploy
mkdir -p /srv/data /srv/tree/deep
echo 'tmpfs /srv/data tmpfs nosuid,nodev 0 0' >>/etc/fstab
systemctl daemon-reload
mount /srv/data
echo old >/srv/tree/deep/file; ln /srv/tree/deep/file /srv/tree/deep/twin; chmod 4750 /srv/tree/deep/file
mkdir /srv/owned; touch /srv/owned/a /srv/owned/b; chmod 0777 /srv/owned/a
systemctl enable --quiet --now cron`

/** Content, owner, mode, names and times of all files, without what programs write down about themselves. */
const STATE = `
find /etc /srv /home /usr/local /usr/bin /usr/sbin /lib/systemd/system -xdev ! -type d ! -path '/srv/packages/*' \\
  ! -name '*-' ! -name '.pwd.lock' ! -name ld.so.cache -printf '%p %y %m %U %G %n %l ' \\( -type f -exec sha256sum {} \\; -o -printf '\\n' \\) | sort
find /etc /srv /home -xdev -type d ! -path '/srv/packages*' -printf '%p %m %U %G\\n' | sort
dpkg-query -W -f '\${binary:Package} \${Version} \${db:Status-Status}\\n'
systemctl list-unit-files --type service --no-legend --no-pager | awk '{ print $1, $2 }' | sort
systemctl is-active cron ssh rsyslog || true
findmnt -no OPTIONS /srv/data
ls -d /var/mail/* 2>/dev/null || true`

const POLICY = `
ccm:
  resources:
    - file:
        - /etc/motd: { ensure: present, content: "Authorised use only.\\n", owner: root, group: root, mode: "0644" }
        - /srv/tree: { ensure: absent, force: true }
        - /srv/new/below: { ensure: directory, owner: root, group: root, mode: "0750" }
    - package:
        - rsyslog: { ensure: present }
    - service:
        - cron: { ensure: stopped, enable: false }
    - group:
        - operators: { ensure: present }
    - user:
        - deploy: { shell: /bin/bash, comment: "New comment", groups: { includes: [operators] } }
        - fresh: { ensure: present, create_home: true }
    - setting:
        - sshd:PermitRootLogin: { value: "no" }
        - login.defs:PASS_MAX_DAYS: { value: "365" }
    - mount:
        - /srv/data: { options: { includes: [noexec, nosuid, nodev] } }
    - files:
        - /srv/owned: { kinds: [file], mode: { at_most: "0755" } }`

/** Whether the host can be reached at its own address of IPv6. */
const ANSWERS = 'grep -q "^0*1 .* lo$" /proc/net/if_inet6'

const NO_NETWORK = `
ccm:
  resources:
    - sysctl:
        - net.ipv6.conf.all.disable_ipv6: { value: 1 }`

const MOTD = `
ccm:
  resources:
    - file:
        - /etc/motd: { ensure: present, content: "new\\n", owner: root, group: root, mode: "0644" }`
