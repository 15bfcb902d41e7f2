import { readUnlessAbsent } from '../../../host/if-there.ts'
import { release as releaseOf } from 'node:os'
import { known, type Reading, unknown, mapReading } from '../../../model/observation.ts'
import { type KernelBuild, type KernelBuilds, parseKernelOptions } from '../kernel-builds.ts'
import { filesBelow, type MachineFiles } from '../../../host/live/machine-files.ts'
import { provesAbsence, unreadable } from '../../../host/live/system-error.ts'

const LARGEST_BYTES = 16 * 1024 * 1024

/** Opens the build options of this machine's kernels; tests set another root and release. */
export function openKernelBuilds({ root = '', release = releaseOf() } = {}): KernelBuilds {
  const files = filesBelow(root)
  let running: Promise<Reading<KernelBuild>> | undefined
  let installed: Promise<Reading<readonly KernelBuild[]>> | undefined
  return {
    running: () => (running ??= readFirst(files, release, ['/proc/config.gz', ...filesOf(release)])),
    installed: () => (installed ??= readInstalledBuilds(files, release)),
    forget() {
      running = undefined
      installed = undefined
    },
  }
}

/** Paths of the config file, the most common first. */
function filesOf(release: string): readonly string[] {
  const modules = `/lib/modules/${release}`
  return [`/boot/config-${release}`, `${modules}/config`, `${modules}/build/.config`]
}

/** The options from the first of these files that exists. */
async function readFirst(
  machine: MachineFiles,
  release: string,
  files: readonly string[],
): Promise<Reading<KernelBuild>> {
  for (const file of files) {
    const text = await readText(machine, file)
    if (text.kind === 'unknown') return text
    if (text.value === null) continue
    const options = parseKernelOptions(text.value, file)
    return options.kind === 'unknown' ? options : known({ release, file, options: options.value })
  }
  return unknown(
    'not-observable',
    `the build configuration of kernel ${release} is unknown: not found in ${files.join(', ')}`,
  )
}

async function readText(machine: MachineFiles, file: string): Promise<Reading<string | null>> {
  let bytes: Buffer
  try {
    bytes = machine.whole(file, LARGEST_BYTES)
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, file)
  }
  if (!file.endsWith('.gz')) return known(bytes.toString('utf8'))
  const { gunzipSync } = await import('node:zlib')
  try {
    return known(gunzipSync(bytes, { maxOutputLength: LARGEST_BYTES }).toString('utf8'))
  } catch {
    return unknown('invalid', `${file} is not validly compressed`)
  }
}

/**
 * The options of each bootable kernel except `running`. A kernel is in /boot or, with kernel-install, in its module
 * directory.
 */
export async function readInstalledBuilds(
  machine: MachineFiles,
  running?: string,
): Promise<Reading<readonly KernelBuild[]>> {
  const images = namesIn(machine, '/boot')
  if (images.kind === 'unknown') return images
  const trees = namesIn(machine, '/lib/modules')
  if (trees.kind === 'unknown') return trees
  const releases = new Set(images.value.flatMap((name) => /^(?:vmlinu[xz]|kernel|config)-(.+)$/.exec(name)?.[1] ?? []))
  for (const tree of trees.value) {
    const files = namesIn(machine, `/lib/modules/${tree}`)
    if (files.kind === 'unknown') return files
    if (files.value.includes('vmlinuz')) releases.add(tree)
  }
  if (running !== undefined) releases.delete(running)
  const builds: KernelBuild[] = []
  for (const release of [...releases].toSorted()) {
    const build = await readFirst(machine, release, filesOf(release))
    if (build.kind === 'unknown') return build
    builds.push(build.value)
  }
  return known(builds)
}

function namesIn(machine: MachineFiles, directory: string): Reading<readonly string[]> {
  return mapReading(
    readUnlessAbsent(directory, () => machine.names(directory)),
    (names) => names ?? [],
  )
}
