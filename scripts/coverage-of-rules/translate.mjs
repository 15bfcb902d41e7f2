// Who translates which kind of rule. A translator is a plain object: the kinds it knows, and a function from a rule
// ({id, os, kind, sub, params, ...}) to resources ({type, name, properties}), or undefined for a rule it cannot say in full.
// Part of a rule is not a rule.
import { account } from './account.mjs'
import { audit } from './audit.mjs'
import { boot } from './boot.mjs'
import { content } from './content.mjs'
import { file } from './file.mjs'
import { files } from './files.mjs'
import { firewall } from './firewall.mjs'
import { kernel } from './kernel.mjs'
import { listener } from './listener.mjs'
import { mac } from './mac.mjs'
import { mount } from './mount.mjs'
import { packages } from './package.mjs'
import { pam } from './pam.mjs'
import { service } from './service.mjs'
import { setting } from './setting.mjs'
import { shell } from './shell.mjs'
import { sshd } from './sshd.mjs'
import { sudoers } from './sudoers.mjs'

const translators = [
  account,
  audit,
  boot,
  content,
  file,
  files,
  firewall,
  kernel,
  listener,
  mac,
  mount,
  packages,
  pam,
  service,
  setting,
  shell,
  sshd,
  sudoers,
]
const byKind = new Map(translators.flatMap((translator) => translator.kinds.map((kind) => [kind, translator])))

/** The resources that say a rule, none for one about an alternative that the profile did not choose, or undefined. */
export function translate(rule) {
  if (rule.params.only_if !== undefined && !isChosen(rule.params.only_if)) return []
  return byKind.get(rule.kind)?.translate(rule)
}

/** A choice of the profile beside the one for which the rule is. */
function isChosen({ selected, ...choices }) {
  return Object.values(choices).every((choice) => choice === selected)
}
