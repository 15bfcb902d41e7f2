import { pathsIn } from '../../host/paths-in.ts'
import { known, type Reading } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { shell, withVariables } from '../../settings/formats/shell.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import { type ConfigFiles, type KeyRules, OWN_HEAD, type Surface } from '../../settings/surface.ts'
import { listsOf, VALUES } from '../../settings/values.ts'

const MAIN = '/etc/default/grub'
const DROP_INS = '/etc/default/grub.d'

/** Kernel arguments, separated by white space. */
const ARGUMENTS: KeyRules = { order: listsOf(/\s+/, ' '), wins: 'last', default: '' }

export const grub: Surface = {
  name: 'grub',
  summary:
    'The shell variables of `/etc/default/grub` and, with `update-grub`, of `/etc/default/grub.d/*.cfg` in name order. The last assignment wins and may use earlier ones. Changes take effect once the menu is regenerated and the system rebooted. A fix writes its own drop-in, or edits the main file, and regenerates the menu.',
  risk: RISKS.boot,
  installed: (files) => anyExists(files, [MAIN, '/usr/sbin/grub-mkconfig', '/usr/sbin/grub2-mkconfig']),
  keyOf: (text) =>
    /^GRUB_[A-Z0-9_]+$/.test(text)
      ? { section: '', key: text }
      : { problem: 'must be a variable such as GRUB_CMDLINE_LINUX' },
  rulesOf: ({ key }) => (key.startsWith('GRUB_CMDLINE_') ? ARGUMENTS : { order: VALUES, wins: 'last' }),
  read: readGrub,
  writes: (files) => ({
    file: hasDropIns(files) ? `${DROP_INS}/zz-driftgate.cfg` : MAIN,
    format: shell,
    head: OWN_HEAD,
  }),
  activation: {
    kind: 'command',
    argv: [
      'sh',
      '-c',
      'if command -v update-grub > /dev/null; then update-grub; else grub2-mkconfig -o /boot/grub2/grub.cfg; fi',
    ],
    writes: ['/boot/grub/grub.cfg', '/boot/grub2/grub.cfg'],
  },
}

/** Only Debian and its derivatives generate the menu from drop-ins. */
function hasDropIns(files: ConfigFiles): boolean {
  const seen = files.exists('/usr/sbin/update-grub')
  return seen.kind === 'known' && seen.value
}

function readGrub(files: ConfigFiles): Reading<readonly Assignment[]> {
  const dropIns = pathsIn(files, [DROP_INS], (name) => /^[^.].*\.cfg$/.test(name))
  if (dropIns.kind === 'unknown') return dropIns
  const read = parseAll(files, [MAIN, ...(hasDropIns(files) ? dropIns.value : [])], shell)
  return read.kind === 'unknown' ? read : known(withVariables(read.value))
}
