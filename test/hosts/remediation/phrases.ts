import { readFileSync } from 'node:fs'
import { DOCKER_PHRASES } from './phrases/docker.ts'
import { FILE_SYSTEMS_PHRASES } from './phrases/file-systems.ts'
import { FILES_PHRASES } from './phrases/files.ts'
import { FIREWALLS_PHRASES } from './phrases/firewalls.ts'
import { GNOME_PHRASES } from './phrases/gnome.ts'
import { KERNEL_PHRASES } from './phrases/kernel.ts'
import { LOGS_PHRASES } from './phrases/logs.ts'
import { NGINX_PHRASES } from './phrases/nginx.ts'
import { PAM_PHRASES } from './phrases/pam.ts'
import { PASSWORDS_PHRASES } from './phrases/passwords.ts'
import { POSTGRESQL_PHRASES } from './phrases/postgresql.ts'
import { RED_HAT_PHRASES } from './phrases/red-hat.ts'
import { SOFTWARE_PHRASES } from './phrases/software.ts'
import { SSH_SUDO_PHRASES } from './phrases/ssh-sudo.ts'
import type { Choices, Groups, Reported } from './scripts.ts'

/** The functions that the scripts use. */
export const ADMINISTRATOR = readFileSync(new URL('administrator.sh', import.meta.url), 'utf8')

const PHRASES = [
  ...NGINX_PHRASES,
  ...POSTGRESQL_PHRASES,
  ...DOCKER_PHRASES,
  ...RED_HAT_PHRASES,
  ...SOFTWARE_PHRASES,
  ...GNOME_PHRASES,
  ...FIREWALLS_PHRASES,
  ...KERNEL_PHRASES,
  ...FILE_SYSTEMS_PHRASES,
  ...SSH_SUDO_PHRASES,
  ...PASSWORDS_PHRASES,
  ...PAM_PHRASES,
  ...LOGS_PHRASES,
  ...FILES_PHRASES,
]

/** Clauses that do not tell how to change the host. */
const ASIDES =
  /^(?:--fix|[Ww]aive|later changes|likewise|not for hosts|review|also configure|ssh -G|driftgate|containers stop|it takes effect|package updates|Replace keys|remove it temporarily|Leave the logs|on Red Hat|Where faillock\.conf|Set sudo_log|set aide_timer|If Banner of sshd|with systemd-networkd|skip this control|its text|With userns-remap|A rootless daemon|existing images|without SocketMode|without the (?:files|package)|each of them bypasses|the servers are policy data|where SELinux was disabled)\b/

/** The scripts of a remediation, or undefined if its text is none that can be carried out word for word. */
export function choicesOf(reported: Reported): Choices | undefined {
  const text = (reported.control.remediation ?? '')
    .replaceAll(/(?:, |; |\. )[Oo]r use --fix[^;.,]*(?=[;.,])|, or use --fix, and verify .*/g, '')
    .replaceAll(
      / \((?![^()]*, group crontab|[^()]*, group daemon|www-data on|or www-data)[^()]*(?:Red Hat|Debian|milliseconds|ssh_keys|libuser|policy data|directory locks|on Ubuntu|driftgate reads|on Ubuntu|--set|OpenSSH up to|DNS, |0000|policy data)[^()]*\)| on Debian(?=, )/g,
      '',
    )
    .replace(/\.$/, '')
  const clauses = text.split(/; |\. /).filter((clause) => !ASIDES.test(clause))
  const parts = clauses.map((clause) => {
    for (const [pattern, scripts] of PHRASES) {
      const found = pattern.exec(clause)
      if (found === null) continue
      const groups = Object.entries<string | undefined>(found.groups ?? {}).map(([name, text = '']) => [name, text])
      return scripts(Object.fromEntries(groups) as Groups, reported)
    }
    return undefined
  })
  if (parts.length === 0 || parts.includes(undefined)) return undefined
  const count = Math.max(...parts.map((choices = []) => choices.length))
  return Array.from({ length: count }, (_, index) =>
    parts.map((choices = []) => choices[index % choices.length]).join('\n'),
  )
}
