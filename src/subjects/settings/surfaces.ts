import { equals } from '../../settings/formats/equals.ts'
import type { Format } from '../../settings/formats/format.ts'
import { ini } from '../../settings/formats/ini.ts'
import { json } from '../../settings/formats/json.ts'
import { properties } from '../../settings/formats/properties.ts'
import { shell } from '../../settings/formats/shell.ts'
import { space } from '../../settings/formats/space.ts'
import { toml } from '../../settings/formats/toml.ts'
import { journald } from '../../settings/journald.ts'
import { loginDefs } from '../accounts/login-defs.ts'
import { aide } from '../../settings/aide.ts'
import { apt } from '../../settings/apt.ts'
import { auditd } from '../auditd/settings.ts'
import { chrony } from '../../settings/chrony.ts'
import { coredump } from '../../settings/coredump.ts'
import { docker } from '../../settings/docker.ts'
import { dconf } from '../desktop/dconf.ts'
import { dnf } from '../../settings/dnf.ts'
import { faillock } from '../pam/settings/faillock.ts'
import { gdm } from '../desktop/gdm.ts'
import { grub } from '../boot/grub.ts'
import { journalUpload } from '../../settings/journal-upload.ts'
import { limits } from '../pam/settings/limits/index.ts'
import { logind } from '../../settings/logind.ts'
import { postfix } from '../../settings/postfix.ts'
import { nginx } from '../../settings/nginx/index.ts'
import { pgHba } from '../../settings/postgresql/hba.ts'
import { postgresql } from '../../settings/postgresql/index.ts'
import { pwquality } from '../pam/settings/pwquality.ts'
import { rsyslog } from '../../settings/rsyslog.ts'
import { selinux } from '../mac/selinux-settings.ts'
import { systemdManager } from '../services/settings.ts'
import { useradd } from '../accounts/useradd.ts'
import { sudoers } from '../sudo/index.ts'
import { sshd } from '../sshd/index.ts'
import { shellSettings } from '../shell-startup/index.ts'
import { timesyncd } from '../../settings/timesyncd.ts'
import type { Surface } from '../../settings/surface.ts'

/** All surfaces, in the order of the reference. */
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
  docker,
  aide,
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

/** The formats for an arbitrary file. */
export const FORMATS = ['space', 'equals', 'ini', 'properties', 'shell', 'toml', 'json', 'yaml'] as const

/** One of `FORMATS`. */
export type FormatName = (typeof FORMATS)[number]

/** The format of that name. The parser of documents is loaded on first use. */
export function formatNamed(name: FormatName): Format | Promise<Format> {
  return name === 'yaml' ? import('../../settings/formats/yaml.ts').then(({ yaml }) => yaml) : FORMAT_OF[name]
}

/** A format that needs no asynchronous loading. */
export type SurfaceFormat = Exclude<FormatName, 'yaml'>

/** Formats by name. */
export const FORMAT_OF: Readonly<Record<SurfaceFormat, Format>> = {
  space,
  equals,
  ini,
  properties,
  shell,
  toml,
  json,
}
