/** Programs whose configuration contains paths of files or directories. */
export const NAMING_PROGRAMS = [
  'aide_database',
  'auditd',
  'auditd_config',
  'journal_upload_key',
  'journal_upload_certificates',
  'rsyslog',
  'log_links',
  'root_path',
  'docker_config',
  'docker_units',
  'docker_environment',
  'docker_key',
  'docker_certificates',
  'docker_data',
  'sudoers',
  'sshd_config',
  'sshd_host_keys',
  'sshd_banner',
  'ssh_config',
  'nginx_config',
  'nginx_keys',
  'nginx_logs',
  'nginx_pid',
  'postgresql_config',
  'postgresql_hba',
  'postgresql_data',
  'postgresql_key',
  'postgresql_logs',
] as const

/** One of `NAMING_PROGRAMS`. */
export type NamingProgram = (typeof NAMING_PROGRAMS)[number]
