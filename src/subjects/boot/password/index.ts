import { pathsIn } from '../../../host/paths-in.ts'
import { alwaysThere } from '../../shared/always-there.ts'
import { known, type Observation, present, type Reading, unknown } from '../../../model/observation.ts'
import { defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { readBootMenus } from '../settings/entries.ts'
import type { GrubScript } from '../settings/grub-menu.ts'
import { recordFiles } from '../../../settings/files.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { type BootPasswordState, decideBootPassword } from './decide.ts'
import type { FileProbe } from '../../../settings/look.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    oneOf: ['grub'],
    phase: 'early',
    summary:
      'The boot loader: `grub`. Each menu, BIOS and EFI, must set `superusers`, and each superuser needs a hashed password (`password`) that the menu generator writes again (`source`). Other users can then neither edit an entry nor use the command line. The hash is never shown.',
  },
  unrestricted: {
    kind: 'boolean',
    phase: 'early',
    summary: 'Whether entries boot without the password, all of them or none. Not compared if omitted.',
  },
})

export const bootPassword: ResourceType = defineResource({
  type: 'boot_password',
  summary: 'The GRUB password that protects the boot entries and the command line.',
  properties,
  drifts: ['password', 'source', 'unrestricted'],
  examples: [
    {
      title: 'Editing an entry requires a password, booting it does not',
      yaml: `
        boot_password:
          - grub:
              unrestricted: true`,
    },
  ],
  providers: [
    {
      name: 'grub',
      platforms: ['linux'],
      observe: (target) => observeBootPassword(target),
      apply: async () => ({ kind: 'failed', message: 'a fix does not choose a password' }),
    },
  ],
  decide: (wanted, observed) => decideBootPassword(wanted, alwaysThere(observed)),
})

const SCRIPTS = '/etc/grub.d'

function observeBootPassword(target: FileProbe): Observation<BootPasswordState> {
  const { files } = recordFiles(target)
  const read = readBootMenus(files)
  if (read.kind === 'unknown') return read
  const menus = read.value.scripts
    .filter(({ file, commands }) => file.endsWith('/grub.cfg') && commands.some(startsSomething))
    .map(({ file }) => ({ file, scripts: read.value.scripts.filter((each) => isBeside(each, file)) }))
  if (menus.length === 0) {
    return unknown(
      'not-observable',
      'no GRUB menu found: no grub.cfg in /boot or on an EFI system partition has entries',
    )
  }
  const paths = pathsIn(files, [SCRIPTS])
  if (paths.kind === 'unknown') return paths
  const generators = new Map(paths.value.map((path) => [path, textOfGenerator(files, path)]))
  return present({ menus, generators })
}

/** Text of a generator script; a script that is not executable generates no text. */
function textOfGenerator(files: ConfigFiles, path: string): Reading<string | null> {
  const attributes = files.attributes(path)
  if (attributes.kind === 'unknown') return attributes
  return ((attributes.value?.mode ?? 0) & 0o111) === 0 ? known('') : files.text(path)
}

/** A file without entries only loads the one with the entries. */
function startsSomething({ name, blocks }: GrubScript['commands'][number]): boolean {
  return name === 'blscfg' || blocks.some(({ kind }) => kind === 'menuentry')
}

function isBeside({ file }: GrubScript, menu: string): boolean {
  return file.slice(0, file.lastIndexOf('/')) === menu.slice(0, menu.lastIndexOf('/'))
}
