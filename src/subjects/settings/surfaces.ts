import { journald } from '../../settings/journald.ts'
import { aide } from '../../settings/aide.ts'
import { apt } from '../../settings/apt.ts'
import { aptSources } from '../../settings/apt-sources.ts'
import { issue, issueNet } from '../../settings/banners.ts'
import { chrony } from '../../settings/chrony.ts'
import { coredump } from '../../settings/coredump.ts'
import { docker } from '../../settings/docker.ts'
import { dnf } from '../../settings/dnf.ts'
import { journalUpload } from '../../settings/journal-upload.ts'
import { logind } from '../../settings/logind.ts'
import { postfix } from '../../settings/postfix.ts'
import { nginx } from '../../settings/nginx/index.ts'
import { pgHba } from '../../settings/postgresql/hba.ts'
import { postgresql } from '../../settings/postgresql/index.ts'
import { rsyslog } from '../../settings/rsyslog.ts'
import { timesyncd } from '../../settings/timesyncd.ts'
import type { Surface } from '../../settings/surface.ts'

/** Surfaces of the programs that no subject is about. */
export const otherSurfaces: readonly Surface[] = [
  journald,
  journalUpload,
  coredump,
  timesyncd,
  logind,
  rsyslog,
  chrony,
  issue,
  issueNet,
  postfix,
  nginx,
  postgresql,
  pgHba,
  docker,
  aide,
  apt,
  aptSources,
  dnf,
]
