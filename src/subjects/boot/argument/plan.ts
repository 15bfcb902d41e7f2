import type { Obstacle, Plan } from '../../../model/decision.ts'
import { cannot } from '../../../model/differences.ts'
import type { Effect } from '../../../model/effect.ts'
import { cannotBeMetHere, pendingReboot } from '../../../model/notes.ts'
import type { Reading } from '../../../model/observation.ts'
import type { BootEntry } from '../settings/grub-menu.ts'
import { RUNNING } from '../settings/sources.ts'
import type { ConfigSnapshot } from '../../../settings/files.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { grub } from '../grub.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import { type Edits, editsOf } from './edits.ts'
import { type BootArgumentDesired, judge } from './judge.ts'
import { type Layers, readLayers } from './layers.ts'

export interface BootArgumentState {
  readonly files: ConfigSnapshot
  readonly images: Reading<readonly BootEntry[]>
  /** Files that a fix may change; undefined if not a regular file. */
  readonly holders: ReadonlyMap<string, FileAttributes | undefined>
}

/** A file with its new and current text. */
export interface BootFile {
  readonly file: string
  readonly text: string
  readonly before: string | null
  readonly attributes: FileAttributes
}

/** Action of a fix: files to write, and menus to generate. */
export interface BootAction {
  readonly writes: readonly BootFile[]
  readonly generate: readonly BootMenu[]
}

/** Menu with its generator and its current number of entries. */
export interface BootMenu {
  readonly program: string
  readonly file: string
  readonly entryCount: number
}

const NEW_FILE: FileAttributes = { uid: 0, gid: 0, mode: 0o644 }

/** Menu generator programs. */
const GENERATORS = ['/usr/sbin/grub-mkconfig', '/usr/sbin/grub2-mkconfig']

/** Edits sources and entries, evaluates them again, and plans to generate the menus made from them. */
export function planBootArgument(
  wanted: BootArgumentDesired,
  state: BootArgumentState,
  layers: Layers,
): Plan<BootAction> {
  const edits = editsOf(wanted, state.files, layers)
  const after = readLayers(state.files.with(edits.texts), state.images)
  const writes = writesOf(state, edits)
  if (typeof writes === 'string') return refuse([cannot(writes)])
  const stillWrong = wrongAfter(wanted, after)
  const generated = generatedMenus(wanted, state, { layers, isReady: stillWrong.length === 0 })
  const obstacles = [...edits.obstacles, ...stillWrong, ...generated.obstacles, ...afterStart(wanted, layers)]
  const { menus } = generated
  const isNothing = writes.length === 0 && menus.length === 0
  // Sources that would stay wrong are not edited.
  if (isNothing || stillWrong.length > 0) return refuse(obstacles)
  const effects: readonly Effect[] = [
    ...writes.map(({ file, before }) => ({ kind: before === null ? 'create' : 'write', object: file }) as const),
    ...menus.map(({ program, file }) => ({ kind: 'run', object: `${program} for ${file}` }) as const),
  ]
  const text = 'Would have changed the kernel command line'
  const act = { kind: 'act', action: { writes, generate: menus }, text, effects, obstacles: [] } as const
  const [first, ...others] = obstacles
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}

function refuse([first, ...others]: readonly Obstacle[]): Plan<never> {
  const reason = first ?? cannot(cannotBeMetHere('no boot loader configuration found to change'))
  return { kind: 'refuse', obstacles: [reason, ...others] }
}

function writesOf({ files, holders }: BootArgumentState, { texts }: Edits): readonly BootFile[] | string {
  const writes: BootFile[] = []
  for (const [file, text] of texts) {
    const before = files.text(file)
    if (before.kind === 'unknown') return before.detail
    const attributes = before.value === null ? NEW_FILE : holders.get(file)
    if (attributes === undefined) return `${file} is not a regular file: if it is a link, change its target`
    if (before.value?.includes('\uFFFD') === true) return `${file} is not in UTF-8: edit it by hand`
    writes.push({ file, text, before: before.value, attributes })
  }
  return writes
}

/** Sources and hand-written entries that would still be wrong after the edit. */
function wrongAfter(wanted: BootArgumentDesired, { sources, menus }: Layers): readonly Obstacle[] {
  const told = new Set<string>()
  if (sources.kind === 'known') {
    for (const { file, commandLine, isRecovery } of sources.value) {
      if (file === RUNNING || (isRecovery && !wanted.recovery)) continue
      if (judge(wanted, commandLine) !== undefined) told.add(file)
    }
  }
  if (menus.kind === 'known') {
    for (const { entry } of menus.value.loader) {
      if (isWrong(wanted, entry)) told.add(entry.file)
    }
  }
  return [...told].map((file) => cannot(`a fix does not change ${file}, whose purpose is unknown: change it by hand`))
}

function isWrong(wanted: BootArgumentDesired, { commandLines, isRecovery }: BootEntry): boolean {
  if (isRecovery && !wanted.recovery) return false
  return commandLines.kind === 'known' && commandLines.value.some((line) => judge(wanted, line) !== undefined)
}

interface Occasion {
  readonly layers: Layers
  readonly isReady: boolean
}

/** Menus with wrong entries; entries not written by the generator are not changed. */
function generatedMenus(
  wanted: BootArgumentDesired,
  { files, images }: BootArgumentState,
  { layers: { menus, sources }, isReady }: Occasion,
): { readonly menus: readonly BootMenu[]; readonly obstacles: readonly Obstacle[] } {
  const all = menus.kind === 'known' ? menus.value.grub : []
  const wrong = all.filter((entry) => isWrong(wanted, entry))
  const [own, others] = [wrong.filter(isGenerated), wrong.filter((entry) => !isGenerated(entry))]
  const ofImages = images.kind === 'known' ? images.value.filter((entry) => isWrong(wanted, entry)) : []
  const obstacles = [
    ...others.map(({ title, file, line, writtenBy }) =>
      cannot(`${file}:${line}: "${title}" was added by an administrator: change it in ${writtenBy ?? file}`),
    ),
    ...ofImages.map(({ file }) =>
      cannot(`${file} embeds its command line: rebuild it from /etc/kernel/cmdline, as kernel-install does`),
    ),
  ]
  const paths = [...new Set(own.map(({ file }) => file))]
  if (paths.length === 0 || !isReady) return { menus: [], obstacles }
  const program = GENERATORS.find((each) => {
    const seen = files.exists(each)
    return seen.kind === 'known' && seen.value
  })
  if (program === undefined || sources.kind === 'unknown') {
    const reason = sources.kind === 'unknown' ? sources.detail : 'neither grub-mkconfig nor grub2-mkconfig is installed'
    return { menus: [], obstacles: [...obstacles, cannot(`the menu cannot be generated: ${reason}`)] }
  }
  const counted = paths.map((file) => ({
    program,
    file,
    entryCount: all.filter((entry) => entry.file === file).length,
  }))
  return { menus: counted, obstacles }
}

/** Whether the generator script for installed kernels wrote the entry. */
function isGenerated({ file, writtenBy }: BootEntry): boolean {
  return file.endsWith('/grub.cfg') && /\/\d+_linux(?:_xen)?$/.test(writtenBy ?? '')
}

/** The running command line, and everything made from it, stays until the next boot. */
function afterStart(wanted: BootArgumentDesired, { running, entries, sources }: Layers): readonly Obstacle[] {
  if (running.kind === 'unknown' || judge(wanted, running.value) === undefined) return []
  if (entries.kind === 'unknown' && sources.kind === 'unknown') return []
  return [cannot(pendingReboot('the running kernel was started with another command line'))]
}

/** Files that a fix may change, so that their attributes must be known. */
export function changeableFiles(files: ConfigFiles, layers: Layers): readonly string[] {
  const assignments = grub.read(files)
  const menus = layers.menus.kind === 'known' ? layers.menus.value : undefined
  return [
    ...(assignments.kind === 'known' ? assignments.value.map(({ file }) => file) : []),
    ...(layers.sources.kind === 'known' ? layers.sources.value.map(({ file }) => file) : []),
    ...(menus?.loader.map(({ entry }) => entry.file) ?? []),
    ...(menus?.environment === undefined ? [] : [menus.environment.file]),
    grub.writes(files, { section: '', key: 'GRUB_CMDLINE_LINUX' }).file,
    '/etc/kernel/cmdline',
  ]
}
