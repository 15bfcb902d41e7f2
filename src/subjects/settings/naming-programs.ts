/** Programs whose configuration contains paths of files or directories. */
export const NAMING_PROGRAMS = [
  'auditd',
  'rsyslog',
  'root_path',
  'docker_key',
  'sshd_config',
  'sshd_host_keys',
  'sshd_banner',
  'nginx_config',
  'nginx_keys',
  'postgresql_config',
  'postgresql_hba',
] as const

/** One of `NAMING_PROGRAMS`. */
export type NamingProgram = (typeof NAMING_PROGRAMS)[number]
