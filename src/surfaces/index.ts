import { equals } from './formats/equals.ts'
import type { Format } from './formats/format.ts'
import { ini } from './formats/ini.ts'
import { space } from './formats/space.ts'
import { journald } from './journald.ts'
import { loginDefs } from './login-defs.ts'
import { auditd } from './auditd.ts'
import { chrony } from './chrony.ts'
import { coredump } from './coredump.ts'
import { dconf } from './dconf.ts'
import { dnf } from './dnf.ts'
import { faillock } from './faillock.ts'
import { gdm } from './gdm.ts'
import { journalUpload } from './journal-upload.ts'
import { logind } from './logind.ts'
import { pwquality } from './pwquality.ts'
import { selinux } from './selinux.ts'
import { systemdManager } from './systemd-manager.ts'
import { useradd } from './useradd.ts'
import { sshd } from './sshd/index.ts'
import { timesyncd } from './timesyncd.ts'
import type { Surface } from './surface.ts'

/** Every surface with a name, in the order in which the reference lists them. */
export const surfaces: readonly Surface[] = [
  loginDefs,
  useradd,
  pwquality,
  faillock,
  journald,
  journalUpload,
  coredump,
  timesyncd,
  logind,
  systemdManager,
  auditd,
  chrony,
  dnf,
  sshd,
  selinux,
  gdm,
  dconf,
]

/** The formats that a file of any name can have. */
export const FORMATS = ['space', 'equals', 'ini'] as const

/** One of `FORMATS`. */
export type FormatName = (typeof FORMATS)[number]

/** The format of that name. */
export function formatNamed(name: FormatName): Format {
  return LINES[name]
}

const LINES: Readonly<Record<FormatName, Format>> = { space, equals, ini }
