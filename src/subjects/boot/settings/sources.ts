import { withBlanksOfC } from '../../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { Assignment } from '../../../settings/assignment.ts'
import { assignmentsIn, effectiveOf, valueOf } from '../../../settings/effective.ts'
import { grub } from '../grub.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'

export interface BootSource {
  /** File name, used as its display name. */
  readonly file: string
  readonly commandLine: string
  /** The effective line, if the file has several. */
  readonly at: { readonly file: string; readonly line: number } | undefined
  /** Lines shadowed by the effective one. */
  readonly shadowed: readonly Assignment[]
  /** Whether recovery entries use only this source. */
  readonly isRecovery: boolean
}

/** Variables of the GRUB menu generator: for all entries, and for all but recovery entries. */
export const GRUB_VARIABLES = ['GRUB_CMDLINE_LINUX', 'GRUB_CMDLINE_LINUX_DEFAULT'] as const

/** Sources of the generated GRUB menu; empty without a generator. */
export function readGrubSources(files: ConfigFiles): Reading<readonly BootSource[]> {
  const installed = grub.installed(files)
  if (installed.kind === 'unknown') return installed
  if (!installed.value) return known([])
  const assignments = assignmentsIn(files, grub)
  if (assignments.kind === 'unknown') return assignments
  const [all, normal, recovery] = [...GRUB_VARIABLES, 'GRUB_DISABLE_RECOVERY'].map((key) =>
    variable(assignments.value, key),
  )
  if (all === undefined || normal === undefined || recovery === undefined) return known([])
  if (all.kind === 'unknown') return all
  if (normal.kind === 'unknown') return normal
  if (recovery.kind === 'unknown') return recovery
  const everywhere = { file: MAIN, at: all.value.at, shadowed: all.value.shadowed }
  const sources: BootSource[] = [
    {
      ...everywhere,
      commandLine: `${all.value.text} ${normal.value.text}`,
      shadowed: [...all.value.shadowed, ...normal.value.shadowed],
      isRecovery: false,
    },
  ]
  if (recovery.value.text !== 'true') {
    sources.push({ ...everywhere, commandLine: all.value.text, isRecovery: true })
  }
  return known(sources)
}

const MAIN = '/etc/default/grub'

interface Variable {
  readonly text: string
  readonly at: BootSource['at']
  readonly shadowed: readonly Assignment[]
}

function variable(assignments: readonly Assignment[], name: string): Reading<Variable> {
  const key = { section: '', key: name }
  const effective = effectiveOf(grub, assignments, key)
  if (effective.kind === 'unknown') return effective
  const [{ winners, losers }] = effective.value
  const [winner] = winners
  const at = winner === undefined ? undefined : { file: winner.file, line: winner.line }
  const text = valueOf(effective.value[0], grub.rulesOf(key)) ?? ''
  // The generator writes the value into a script of GRUB, without quotes.
  if (/[$;&|<>]/.test(text))
    return unknown('invalid', `${at?.file ?? MAIN}:${at?.line ?? 1}: GRUB expands ${text} when it starts`)
  return known({ text, at, shadowed: losers })
}

/** Search path of kernel-install; the first existing file is used. */
const KERNEL_INSTALL = ['/etc/kernel/cmdline', '/usr/lib/kernel/cmdline'] as const

/** Source of the next kernel's entry or image; the running command line if no file exists. */
export function readKernelInstallSource(files: ConfigFiles): Reading<BootSource> {
  for (const file of KERNEL_INSTALL) {
    const text = files.text(file)
    if (text.kind === 'unknown') return text
    if (text.value === null) continue
    const commandLine = text.value.replaceAll(/^#.*$/gm, '').replaceAll('\n', ' ')
    return known({ file, commandLine, at: undefined, shadowed: [], isRecovery: false })
  }
  const running = files.text(RUNNING)
  if (running.kind === 'unknown') return running
  const commandLine = running.value ?? ''
  return known({ file: RUNNING, commandLine, at: undefined, shadowed: [], isRecovery: false })
}

export const RUNNING = '/proc/cmdline'

/** Lines of the zipl configuration; empty without zipl. */
export function readZiplSources(files: ConfigFiles): Reading<readonly BootSource[]> {
  const file = '/etc/zipl.conf'
  const text = files.text(file)
  if (text.kind === 'unknown') return text
  const lines = (text.value ?? '').split('\n').entries()
  return known(
    [...lines].flatMap(([index, line]): BootSource[] => {
      const [, quoted, bare = ''] = withBlanksOfC(/^\s*parameters\s*=\s*(?:"([^"]*)"|(.*?))\s*$/).exec(line) ?? []
      if (quoted === undefined && bare === '') return []
      return [{ file, commandLine: quoted ?? bare, at: { file, line: index + 1 }, shadowed: [], isRecovery: false }]
    }),
  )
}
