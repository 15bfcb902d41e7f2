import { pathsIn } from '../../../host/paths-in.ts'
import { trimBlanksOfC } from '../../../settings/blanks.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { parseFstab } from '../../mounts/fstab.ts'

/** File system types whose module has another name. */
const MODULES: Readonly<Record<string, string>> = { vxfs: 'freevxfs', overlayfs: 'overlay', msdos: 'vfat' }

/** Programs that mount a file system of this module on demand. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  overlay: {
    'a container engine': ['dockerd', 'podman', 'containerd', 'crio', 'buildah', 'k3s', 'lxc-start', 'incusd'],
  },
  squashfs: { snapd: ['snapd'], Apptainer: ['apptainer', 'singularity'] },
}

const PLACES = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/usr/lib/snapd', '/usr/libexec/incus']

const FSTAB = '/etc/fstab'

/** Lists of modules to load at boot. @see modules-load.d(5) */
const LISTS = ['/etc/modules-load.d', '/run/modules-load.d', '/usr/local/lib/modules-load.d', '/usr/lib/modules-load.d']

/** What needs the module after the next boot, though nothing uses it now; undefined if nothing is known. */
export function needOf(module: string, files: ConfigFiles): string | undefined {
  const name = module.replaceAll('-', '_')
  return mountOf(name, files) ?? loadingOf(name, files) ?? programOf(name, files)
}

function mountOf(name: string, files: ConfigFiles): string | undefined {
  const text = files.text(FSTAB)
  const entries = text.kind === 'known' ? parseFstab(text.value ?? '') : []
  const entry = entries.find(({ fstype }) => fstype.split(',').some((type) => (MODULES[type] ?? type) === name))
  return entry && `${FSTAB}:${entry.line} mounts such a file system`
}

function loadingOf(name: string, files: ConfigFiles): string | undefined {
  for (const path of ['/etc/modules', ...LISTS.flatMap((directory) => listsIn(files, directory))]) {
    const line = linesOf(files, path).findIndex((each) => each.split(/[ \t]/)[0]?.replaceAll('-', '_') === name)
    if (line >= 0) return `${path}:${line + 1} loads it at boot`
  }
  return undefined
}

function listsIn(files: ConfigFiles, directory: string): readonly string[] {
  const paths = pathsIn(files, [directory], (name) => name.endsWith('.conf'))
  return paths.kind === 'known' ? paths.value : []
}

function programOf(name: string, files: ConfigFiles): string | undefined {
  const found = Object.entries(PROGRAMS[name] ?? {}).find(([, programs]) =>
    PLACES.some((place) =>
      programs.some((program) => {
        const seen = files.exists(`${place}/${program}`)
        return seen.kind === 'known' && seen.value
      }),
    ),
  )
  return found === undefined ? undefined : `${found[0]}, which is installed, needs it`
}

/** Lines without comments and surrounding blanks; empty for an unreadable file. */
function linesOf(files: ConfigFiles, path: string): readonly string[] {
  const text = files.text(path)
  const lines = text.kind === 'known' ? (text.value ?? '').split('\n') : []
  return lines.map((line) => trimBlanksOfC(line).replace(/^[#;].*/, ''))
}
