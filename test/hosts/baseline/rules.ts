import type { Rule } from './rule.ts'
import { accounts } from './accounts.ts'
import { contents } from './contents.ts'
import { desktop } from './desktop.ts'
import { documents } from './documents.ts'
import { files } from './files.ts'
import { kernel } from './kernel.ts'
import { madeByHand } from './people.ts'
import { mountUnits, network, remote } from './network.ts'
import { mounts } from './mounts.ts'
import { pam } from './pam.ts'
import { programs } from './programs.ts'
import { settings } from './settings.ts'
import { shells } from './shells.ts'
import { software } from './software.ts'
import { trees } from './trees.ts'
import { units } from './units.ts'

/** The tools that change accounts write passwd and its like anew, and take rights away from them: first they, then the files. */
export const RULES: readonly Rule[] = [
  kernel,
  network,
  accounts,
  madeByHand,
  files,
  contents,
  trees,
  mounts,
  mountUnits,
  settings,
  remote,
  software,
  units,
  pam,
  desktop,
  programs,
  documents,
  shells,
].flat()

/** What the rules are about beside what a minimal host has. */
export const INSTALLED = 'auditd dconf-cli sudo chrony libpam-pwquality rsyslog'
