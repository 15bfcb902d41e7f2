// Settings of programs: flat files, those of systemd, dconf and what else has a surface.
import { acceptanceOf } from './acceptance.mjs'

export const setting = {
  kinds: ['key-value', 'systemd-ini', 'dconf', 'rsyslog'],
  translate(rule) {
    return (BY_ID[rule.id] ?? BY_KIND[rule.kind])(rule.params, rule)
  },
}

const BY_KIND = {
  'key-value': flat,
  'systemd-ini': ofSystemd,
  dconf: ofDconf,
  rsyslog: () => undefined,
}

/** Rules that say in words, or not at all, what their parameters mean. */
const BY_ID = {
  // -1 and nothing at all are never, which the surface knows to be longer than any time.
  account_disable_post_pw_expiration: ({ key, value }) => [of(`useradd:${key}`, { value: { at_most: value } })],
  // 0 days are as good as never.
  accounts_maximum_age_login_defs: ({ key, value }) => [
    of(`login.defs:${key}`, { value: { at_least: 1, at_most: value } }),
  ],
  // No account may have one, root included.
  disable_users_coredumps: ({ type, item, value }) => [of(`limits:${type}.${item}`, { value: String(value) })],
  // 0 turns the check off.
  accounts_password_pam_maxrepeat: ({ key, value }) => [
    of(`pwquality:${key}`, { value: { at_least: 1, at_most: value } }),
  ],
  accounts_password_pam_maxsequence: ({ key, value }) => [
    of(`pwquality:${key}`, { value: { at_least: 1, at_most: value } }),
  ],
  // What is not written is as long as for others, but does not lock root.
  accounts_passwords_pam_faillock_even_deny_root_or_root_unlock_time: (
    { any_of: [flag, { key, value }] },
    { title },
  ) => [
    of(title, {
      any_of: { [`faillock:${flag.key}`]: 'present', [`faillock:${key}`]: { at_least: value } },
      explicit: true,
    }),
  ],
  chronyd_configure_pool_and_server: ({ keys, values }, { title }) => [
    anyOf(
      title,
      keys.map((key, index) => [`chrony:${key}`, { includes: values[index].split(',') }]),
    ),
  ],
  chronyd_specify_remote_server: ({ any_of: keys }, { title }) => [
    anyOf(
      title,
      keys.map((key) => [`chrony:${key}`, 'present']),
    ),
  ],
  accounts_password_pam_enforce_root: ({ line }) => [of(`pwquality:${line}`, { ensure: 'present' })],
  accounts_password_pam_enforcing: () => [of('pwquality:enforcing', { value: 1 })],
  aide_periodic_cron_checking: ({ any_of_files: files, pattern }, { id }) => [inCron(id, files, pattern)],
  apt_disable_weak_dependencies: ({ apt }) => Object.entries(apt).map(([key, value]) => of(`apt:${key}`, { value })),
  // Each repository counts, independent of the main section.
  ensure_gpgcheck_never_disabled: ({ key, value }) => [of(`dnf:${key}`, { value })],
  gnome_gdm_disable_xdmcp: ({ section, key, value }) => [of(`gdm:${section}.${key}`, { value })],
  // A module by its name, and what opens an input of it in either way.
  rsyslog_nolisten: ({ absent }) => {
    const modules = absent.filter((word) => !word.endsWith('ServerRun'))
    return ['modules', 'inputs'].map((key) => of(`rsyslog:${key}`, { value: { excludes: modules } }))
  },
  rsyslog_filecreatemode: ({ key, mode_max: mode }) => [of(`rsyslog:${key}`, { value: { at_most: mode } })],
  service_timesyncd_configured: ({ keys, value: [servers] }) =>
    keys.map((key) => of(`timesyncd:${key}`, { value: { includes: servers.split(',') } })),
  set_password_hashing_algorithm_libuserconf: ({ file, section, key, value }) => [
    of(`${file}:${section}.${key}`, { value, format: 'ini' }),
  ],
  systemd_journal_upload_server_tls: ({ keys }) =>
    keys.map((key) => of(`journal-upload:${key}`, { value: { matches: '.+' } })),
  systemd_journal_upload_url: ({ key }) => [of(`journal-upload:${key}`, { value: { matches: '.+' } })],
  dconf_db_up_to_date: () => [
    { type: 'dconf_databases', name: '/etc/dconf/db', properties: { if_absent: 'compliant' } },
  ],
  no_nologin_in_shells: ({ file, line_absent: word }) => [
    ofText(file, { not_matches: `(?s:(?:.*\\n)?[^#\\n]*${word}.*)` }, 'compliant'),
  ],
  // Each tool by itself, wherever in the file.
  aide_check_audit_tools: ({ file, attributes, lines }, { os }) =>
    lines.map((tool) => {
      const line = String.raw`/(?:usr/)?sbin/${tool}[ \t]+${attributes.replaceAll('+', String.raw`\+`)}[ \t]*`
      const [ofDebian, ofRedHat] = file.split('|')
      return ofText(
        os.startsWith('rhel') ? ofRedHat : ofDebian,
        { matches: String.raw`(?s:(?:.*\n)?${line}(?:\n.*)?)` },
        'drift',
      )
    }),
  sysctl_reapply_after_network: () => undefined,
}

/** The surface of each file; others are left out. */
const SURFACES = {
  '/etc/audit/auditd.conf': 'auditd',
  '/etc/dnf/dnf.conf': 'dnf',
  '/etc/login.defs': 'login.defs',
  '/etc/security/faillock.conf': 'faillock',
  '/etc/security/pwquality.conf + pwquality.conf.d': 'pwquality',
  '/etc/selinux/config': 'selinux',
  '/etc/systemd/coredump.conf': 'coredump',
  '/etc/systemd/journald.conf': 'journald',
  'chrony.conf': 'chrony',
}

/** A line that is no comment. Names with a dot are passed over, because some cron does not run them. */
function inCron(id, files, pattern) {
  const places = files.map((path) => path.replace(/\/\*+$/, '')).join(' ')
  return { type: 'command', name: id, properties: { command: `grep -Ersq --exclude=*.* '^[^#]*${pattern}' ${places}` } }
}

function flat({ file, key, op, value }) {
  const surface = SURFACES[file]
  const accepted = op === 'at-least-as-restrictive' ? { at_least: value } : acceptanceOf(op, value)
  if (surface === undefined || key === undefined || accepted === undefined) return undefined
  return [of(`${surface}:${key}`, { value: accepted })]
}

function ofSystemd({ file, section, key, value }) {
  const surface = SURFACES[file]
  return surface === undefined ? undefined : [of(`${surface}:${section}.${key}`, { value })]
}

/** A user may choose something else unless the key is locked. 0 turns a delay off. */
function ofDconf({ section, key, op, value, nonzero, locked, lock }) {
  if (lock !== undefined) return [of(`dconf:locks${lock}`, { ensure: 'present' })]
  const accepted = nonzero ? { at_least: 1, ...acceptanceOf(op, value) } : acceptanceOf(op, value)
  const resources = [of(`dconf:${section}/${key}`, { value: accepted })]
  return locked ? [...resources, of(`dconf:locks/${section}/${key}`, { ensure: 'present' })] : resources
}

function of(name, properties) {
  return { type: 'setting', name, properties }
}

/** Settings of which one is enough. */
function anyOf(name, members) {
  return of(name, { any_of: Object.fromEntries(members) })
}

/** What a file that is no setting of a program has to hold. */
function ofText(name, content, ifAbsent) {
  return { type: 'file', name, properties: { ensure: 'present', content, if_absent: ifAbsent } }
}
