import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { treeState } from '../support/tree-state.ts'
import { APPARMOR_OF_KERNEL } from './baseline/apparmor.ts'
import { GRUB_OF_HOST } from './baseline/boot.ts'
import { idOf, notIn, resources, scan, writePolicy } from './baseline/scan.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'
import { adorned, ADORNED, COMPILED_BY_HAND, MADE, MAKING, SERVED, THINGS } from './undo/things.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

describe.skipIf(unavailable)(`taking back fixes of a host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'everything that a fix has changed is as before: files, packages, units, accounts, settings, mounts',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(PREPARE)
      inRoot(host, ['srv/tree/deep/file', 'srv/owned/a'].map(adorned).join('\n'))
      await host.write('/root/policy.yaml', POLICY)
      const state = async (): Promise<readonly string[]> => [
        ...(await host.shell(STATE)).split('\n'),
        ...treesOf(host, ['srv/tree', 'srv/owned', 'home', 'etc/ssh']),
      ]
      const before = await state()
      const fixed = await host.run(['driftgate', 'scan', '/root/policy.yaml', '--fix'])
      expect(fixed, fixed.stdout + fixed.stderr).toMatchObject({ code: 0 })
      expect(await state()).not.toEqual(before)

      const undone = await host.run(['driftgate', 'undo', '--latest'])
      expect(undone, undone.stdout + undone.stderr).toMatchObject({ code: 0 })
      expect(await state()).toEqual(before)

      // And the way back, back.
      const again = await host.run(['driftgate', 'undo', '--latest'])
      expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 })
      expect(await host.run(['driftgate', 'scan', '/root/policy.yaml'])).toMatchObject({ code: 0 })
    },
    TIMEOUT_MS,
  )

  test(
    `changes of ${THINGS.length} resources of other types are undone, to the last attribute and time`,
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y ${INSTALLED} >/dev/null 2>&1
          systemctl disable -q --now auditd 2>/dev/null; systemctl reset-failed`)
      for (const script of [GRUB_OF_HOST, APPARMOR_OF_KERNEL, SERVED]) await host.shell(script)
      for (const { prepare } of THINGS) await host.shell(prepare)
      await host.shell(COMPILED_BY_HAND)
      inRoot(host, ADORNED.map(adorned).join('\n'))
      await writePolicy(host, THINGS)
      const before = await stateOf(host)
      const fixed = await scan(host, ['--data', '/root/data.yaml', '--fix'])
      // What the kernel has of these, no container sees; their files are changed.
      const unseen = resources(fixed).filter(({ type }) => ['audit_rule', 'mac'].includes(type))
      expect(Object.keys(notIn(fixed, ['fixed']))).toEqual(unseen.map(({ id }) => id))
      const after = await stateOf(host)

      const undone = await host.run(['driftgate', 'undo', '--latest', '--report', 'json'])
      expect(undone, undone.stdout + undone.stderr).toMatchObject({ code: 0 })
      const back = resources(JSON.parse(undone.stdout) as Run)
      expect(back.map(({ id, verdict }) => [id, verdict])).toEqual(
        THINGS.map((thing) => [idOf(thing), 'fixed']).toReversed(),
      )
      expect(await stateOf(host)).toEqual(before)
      // What debconf remembers of the profile is not what counts the next time.
      await host.shell(
        `DEBIAN_FRONTEND=noninteractive pam-auth-update --package; ! grep faillock /etc/pam.d/common-account`,
      )

      // And the undo is undone. A command that the policy ran for the undo cannot be reversed, and the message says so.
      const again = await host.run(['driftgate', 'undo', '--latest', '--report', 'json'])
      expect(notIn(JSON.parse(again.stdout) as Run, ['fixed'])).toEqual({
        [`exec#${MAKING}`]: expect.objectContaining({ message: 'cannot be undone: undo by /bin/rmdir' }),
      })
      expect(await stateOf(host)).toEqual(after.filter((line) => line !== MADE))
    },
    TIMEOUT_MS,
  )

  test(
    'links of units are as before: of `systemctl link`, of `add-wants`, of `Also=`, and those until the next start',
    async () => {
      const host = await bootForTest(rootFilesystem)
      const unit = (more: string): string =>
        `[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n${more}`
      await host.shell('mkdir -p /srv/units')
      await host.write('/srv/units/linked.service', unit(''))
      for (const name of ['wanted', 'other', 'now']) await host.write(`/etc/systemd/system/${name}.service`, unit(''))
      await host.write('/etc/systemd/system/main.service', unit('Also=other.service\n'))
      await host.shell(
        `systemctl daemon-reload && systemctl enable -q --now /srv/units/linked.service && systemctl enable -q wanted other
          systemctl add-wants -q graphical.target wanted && systemctl enable -q --runtime now && systemctl start now`,
      )
      const state = (): Promise<string> =>
        host.shell(
          `find /etc/systemd/system /run/systemd/system -type l -printf '%p %l\\n' | sort
            for unit in linked wanted other main now; do systemctl is-active $unit || true; systemctl is-enabled $unit || true; done`,
        )
      const before = await state()
      const off = ['linked', 'wanted', 'now'].map((name) => `        - ${name}: { ensure: stopped, enable: false }\n`)
      const on = '        - main: { ensure: running, enable: true }\n'
      await host.write('/root/policy.yaml', `ccm:\n  resources:\n    - service:\n${off.join('')}${on}`)
      expect(await host.run(['driftgate', 'scan', '/root/policy.yaml', '--fix'])).toMatchObject({ code: 0 })
      const undone = await host.run(['driftgate', 'undo', '--latest'])
      expect(undone, undone.stdout + undone.stderr).toMatchObject({ code: 0 })
      expect(await state()).toBe(before)
    },
    TIMEOUT_MS,
  )

  test(
    'a fix that takes the network away is taken back at its deadline, also where the host has restarted meanwhile',
    async () => {
      const host = await bootForTest(rootFilesystem)
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
})

const INSTALLED = 'auditd apparmor grub2-common nftables sudo libpam-pwquality dconf-cli'

/** Runs a script with the programs of this machine in the root of the host, which lacks those of lists and capabilities. */
function inRoot(host: DebianHost, script: string): void {
  const root = `/proc/${host.init()}/root`
  execFileSync('sh', ['-euc', script], { cwd: root, env: { ...process.env, PWD: root } })
}

/** All that is known of what is below these directories of the host. */
function treesOf(host: DebianHost, trees: readonly string[]): readonly string[] {
  const root = `/proc/${host.init()}/root`
  return trees.flatMap((each) => [
    each,
    ...(existsSync(`${root}/${each}`) ? treeState(`${root}/${each}`).split('\n') : []),
  ])
}

/** The time of what pam-auth-update has written with what it held; nothing of that is put back. */
const WRITTEN_ANEW = /^(pam\.d\/common-\S+ .*) \S+ $/

/** All that is known of the files that were changed, and what the kernel goes by. */
async function stateOf(host: DebianHost): Promise<readonly string[]> {
  const trees = [
    'etc',
    'srv/older',
    'srv/newer',
    'srv/rendered',
    'srv/exchange',
    'srv/links',
    'boot',
    'opt',
    'var/crash',
    'var/spool/private',
    'var/lib/pam',
    'var/log/nightly',
  ]
  const kernel = await host.shell(
    `nft list tables | sort | while read -r table; do nft -s list $table; done; { grep -rs . /proc/sys/net/ipv[46]/conf || true; }; cat /proc/cmdline; ls -d ${MADE} 2>/dev/null || true`,
  )
  return [...treesOf(host, trees).map((line) => line.replace(WRITTEN_ANEW, '$1')), ...kernel.split('\n')]
}

const PREPARE = `
useradd -m -s /bin/sh -c 'Old comment' deploy
cd /home/deploy; mkdir deep; echo kept >deep/file; ln -s deep/file link; echo other >other
chown -R deploy:deploy .; chmod 2755 deep/file; chgrp users other; cd /
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
        - deploy: { shell: /bin/bash, comment: "New comment", group: users, groups: { includes: [operators] } }
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
