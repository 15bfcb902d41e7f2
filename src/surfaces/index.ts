import { equals } from './formats/equals.ts'
import type { Format } from './formats/format.ts'
import { ini } from './formats/ini.ts'
import { properties } from './formats/properties.ts'
import { shell } from './formats/shell.ts'
import { space } from './formats/space.ts'
import { toml } from './formats/toml.ts'
import { journald } from './journald.ts'
import { loginDefs } from './login-defs.ts'
import { apt } from './apt.ts'
import { auditd } from './auditd.ts'
import { chrony } from './chrony.ts'
import { coredump } from './coredump.ts'
import { dconf } from './dconf.ts'
import { dnf } from './dnf.ts'
import { faillock } from './faillock.ts'
import { gdm } from './gdm.ts'
import { grub } from './grub.ts'
import { journalUpload } from './journal-upload.ts'
import { limits } from './limits/index.ts'
import { logind } from './logind.ts'
import { postfix } from './postfix.ts'
import { nginx } from './nginx/index.ts'
import { pgHba } from './postgresql/hba.ts'
import { postgresql } from './postgresql/index.ts'
import { pwquality } from './pwquality.ts'
import { rsyslog } from './rsyslog.ts'
import { selinux } from './selinux.ts'
import { systemdManager } from './systemd-manager.ts'
import { useradd } from './useradd.ts'
import { sudoers } from './sudoers/index.ts'
import { sshd } from './sshd/index.ts'
import { shellSettings } from './shell/index.ts'
import { timesyncd } from './timesyncd.ts'
import type { Surface } from './surface.ts'

/** Every surface with a name, in the order in which the reference lists them. */
export const surfaces: readonly Surface[] = [
  loginDefs,
  useradd,
  shellSettings,
  pwquality,
  faillock,
  journald,
  journalUpload,
  coredump,
  timesyncd,
  logind,
  systemdManager,
  auditd,
  rsyslog,
  chrony,
  postfix,
  nginx,
  postgresql,
  pgHba,
  apt,
  dnf,
  sshd,
  sudoers,
  limits,
  selinux,
  grub,
  gdm,
  dconf,
]

/** The formats that a file of any name can have. */
export const FORMATS = ['space', 'equals', 'ini', 'properties', 'shell', 'toml', 'json', 'yaml'] as const

/** One of `FORMATS`. */
export type FormatName = (typeof FORMATS)[number]

/** The format of that name; what reads documents loads with the first one. */
export function formatNamed(name: FormatName): Format | Promise<Format> {
  if (name === 'json' || name === 'yaml') return import('./formats/document.ts').then((formats) => formats[name])
  return LINES[name]
}

const LINES: Readonly<Record<Exclude<FormatName, 'json' | 'yaml'>, Format>> = {
  space,
  equals,
  ini,
  properties,
  shell,
  toml,
}
