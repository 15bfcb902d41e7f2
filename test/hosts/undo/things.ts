import { apparmor } from '../baseline/apparmor.ts'
import { auditRules } from '../baseline/audit-rules.ts'
import { bootArguments } from '../baseline/boot.ts'
import { desktop } from '../baseline/desktop.ts'
import { FIREWALL_CONFIGURATION } from '../baseline/firewall.ts'
import { contents } from '../baseline/contents.ts'
import { pam } from '../baseline/pam.ts'
import type { Rule } from '../baseline/rule.ts'

/** A rule that a fix can act on, even if a container lacks the other half of its state. */
export interface Thing extends Pick<Rule, 'type' | 'name' | 'properties'> {
  /** A script of bash that makes what the fix will change. */
  readonly prepare: string
}

/** Gives a file everything that a copy may lose, and an old time; for a shell in the root of the host. */
export const adorned = (path: string): string => `
chown 1:2 ${path}; chmod 4751 ${path}; setfacl -m u:1:rw ${path}; setfattr -n user.note -v kept ${path}
setcap cap_net_raw+ep ${path}; touch -d '2001-02-03 04:05:06.789' ${path}`

/** Rules of a baseline, each broken as it says. */
function broken(rules: readonly Rule[], chosen: (rule: Rule, number: number) => boolean): readonly Thing[] {
  return rules.filter(chosen).map(({ type, name, properties, prepare = ':', violation }) => ({
    type,
    name,
    properties,
    prepare: `${prepare}\n${violation}`,
  }))
}

/** Serves an archive to the host itself, for as long as that runs. */
export const SERVED = `
mkdir -p /root/www/release/bin /root/www/release/share/new; cd /root/www
echo 'new tool' >release/bin/tool; echo 'new page' >release/share/new/page; ln -s ../bin/tool release/share/link
tar -czf release.tar.gz release
printf 'checksum: %s\\n' "$(sha256sum release.tar.gz | cut -d' ' -f1)" >/root/data.yaml
cat >/root/serve.mjs <<'END'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
createServer((_, answer) => answer.end(readFileSync('/root/www/release.tar.gz'))).listen(8640, '127.0.0.1')
END
systemd-run --quiet --unit serve node /root/serve.mjs
until (exec 3<>/dev/tcp/127.0.0.1/8640) 2>/dev/null; do :; done`

const release = (directory: string): Thing['properties'] => ({
  ensure: 'present',
  url: 'http://127.0.0.1:8640/release.tar.gz',
  checksum: '{{ Data.checksum }}',
  extract_parent: directory,
  creates: `${directory}/release/share/link`,
  owner: 'root',
  group: 'root',
})

/** What a command of the policy makes. */
export const MADE = '/srv/made'
export const MAKING = `/bin/mkdir ${MADE}`

const things: readonly Thing[] = [
  {
    type: 'archive',
    name: '/srv/older/release.tar.gz',
    properties: { ...release('/srv/older'), cleanup: true },
    // Another archive, files that are replaced and files that are not, and a directory whose attributes stay.
    prepare: `mkdir -p /srv/older/release/bin; cd /srv/older; echo old >release.tar.gz; echo old >release/bin/tool
      echo stays >release/bin/stays; chmod 2711 release/bin`,
  },
  {
    type: 'archive',
    name: '/srv/newer/release.tar.gz',
    properties: release('/srv/newer/below'),
    prepare: 'mkdir /srv/newer',
  },
  {
    type: 'scaffold',
    name: '/srv/rendered',
    properties: { ensure: 'present', source: 'templates', purge: true, post: [{ '*.conf': '/bin/chmod 0604 {}' }] },
    prepare: `mkdir -p /root/templates/deep /srv/rendered/gone; echo 'new [[ 1 + 1 ]]' >/root/templates/app.conf
      echo page >/root/templates/deep/page; cd /srv/rendered; echo old >app.conf; echo old >gone/a; ln gone/a gone/b; ln -s gone link`,
  },
  {
    type: 'exec',
    name: MAKING,
    properties: { creates: MADE, undo: `/bin/rmdir ${MADE}` },
    prepare: ':',
  },
  ...['net.ipv4.conf.all.log_martians', 'net.ipv6.conf.default.accept_ra'].map((name) => ({
    type: 'sysctl',
    name,
    properties: { value: '0' },
    prepare: `echo 1 >/proc/sys/${name.replaceAll('.', '/')}; echo '${name} = 1' >/etc/sysctl.d/50-${name}.conf`,
  })),
  {
    type: 'kernel_module',
    name: 'cramfs',
    properties: { available: false },
    prepare: `tree=/lib/modules/$(uname -r); mkdir -p $tree /etc/modprobe.d; touch $tree/modules.builtin $tree/modules.alias
      echo kernel/fs/cramfs/cramfs.ko: >$tree/modules.dep`,
  },
  {
    type: 'firewall',
    name: 'input',
    properties: { default: 'drop', loopback: 'accept', allowed: ['tcp:22'] },
    // A link, whose file a fix writes, and a table that is stored nowhere.
    prepare: `mkdir /etc/firewall; sed '/hook input/s/drop/accept/' >/etc/firewall/rules <<'END'
${FIREWALL_CONFIGURATION}END
      ln -sf firewall/rules /etc/nftables.conf; chmod 0640 /etc/firewall/rules; systemctl enable -q --now nftables; nft add table ip unstored`,
  },
  {
    type: 'setting',
    name: 'sudoers:Defaults.timestamp_timeout',
    properties: { value: { at_most: 10 } },
    prepare: 'sed -i "1i Defaults timestamp_timeout=60" /etc/sudoers',
  },
  {
    type: 'setting',
    name: 'journald:Storage',
    properties: { value: 'persistent' },
    prepare:
      'mkdir /etc/systemd/journald.conf.d; printf "[Journal]\\nStorage=volatile\\n" >/etc/systemd/journald.conf.d/50-own.conf',
  },
  {
    type: 'setting',
    name: 'limits:hard.core',
    properties: { value: 0 },
    prepare: 'echo "* hard core unlimited" >>/etc/security/limits.conf',
  },
  {
    type: 'setting',
    name: 'pwquality:minlen',
    properties: { value: { at_least: 14 } },
    prepare: 'echo "minlen = 6" >>/etc/security/pwquality.conf',
  },
  {
    type: 'setting',
    name: '/etc/daemon.json:log-opts.max-size',
    properties: { format: 'json', value: '10m' },
    prepare: `echo '{ "log-opts": { "max-size": "10g" } }' >/etc/daemon.json`,
  },
  {
    type: 'file',
    name: '/srv/older/program',
    properties: {
      ensure: 'present',
      content: 'new\n',
      owner: 'root',
      group: 'root',
      mode: '0755',
      capabilities: 'none',
    },
    prepare: 'echo old >/srv/older/program',
  },
]

/** What a fix changes, for each type of which a host in a container has something to change. */
export const THINGS: readonly Thing[] = [
  ...things,
  ...broken(auditRules, ({ name }) =>
    ['fewer accesses', 'a narrower field', 'rules that are not locked', 'only compiled'].includes(name),
  ),
  ...broken(bootArguments, ({ name }) => ['audit', 'vsyscall', 'init'].includes(name)),
  ...broken(pam, ({ name }) => name !== '*'),
  ...broken(apparmor, () => true),
  ...broken(desktop, () => true),
  ...broken(contents, ({ name }) => name !== '/etc/sudoers.d'),
]

/** What was compiled otherwise than the sources say, so that compiling it anew is no way back. */
export const COMPILED_BY_HAND = `echo '-w /etc/ssh -p wa -k by-hand' >>/etc/audit/audit.rules`

/** What has everything that a copy may lose. */
export const ADORNED = [
  'srv/older/release.tar.gz',
  'srv/older/release/bin/tool',
  'srv/rendered/app.conf',
  'srv/rendered/gone/a',
  'etc/daemon.json',
  'etc/security/limits.conf',
  'etc/firewall/rules',
  'srv/older/program',
]
