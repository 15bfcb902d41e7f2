import type { Obstacle } from '../../../model/decision.ts'
import { cannot } from '../../../model/differences.ts'
import type { Assignment } from '../../../settings/assignment.ts'
import type { LoaderEntry } from '../settings/loader-entry.ts'
import { type BootSource, GRUB_VARIABLES, RUNNING } from '../settings/sources.ts'
import { grub } from '../grub.ts'
import { OWN_HEAD } from '../../../settings/surface.ts'
import type { ConfigSnapshot } from '../../../settings/files.ts'
import { type BootArgumentDesired, correctCommandLine, judge, withoutWrong, wordFor } from './judge.ts'
import type { Layers } from './layers.ts'
import { noNearest } from '../../shared/acceptance-of.ts'

/** New file texts, and obstacles to other edits. */
export interface Edits {
  readonly texts: ReadonlyMap<string, string>
  readonly obstacles: readonly Obstacle[]
}

/** Read after all other drop-ins, in any sort order. */
export const OWN_FILE = '/etc/default/grub.d/zzz-driftgate-arguments.cfg'

/** Characters without a special meaning in a shell, in GRUB and in the kernel. */
const PLAIN = /^[\w@%+=:,./~^-]*$/

/** Edits that bring the argument into the desired state. */
export function editsOf(wanted: BootArgumentDesired, files: ConfigSnapshot, layers: Layers): Edits {
  const texts = new Map<string, string>()
  const obstacles = new Map<string, Obstacle>()
  const edit = (outcome: Edited): void => {
    if ('reason' in outcome) obstacles.set(outcome.reason, cannot(outcome.reason))
    else for (const [file, text] of outcome.texts) texts.set(file, text)
  }
  const sources = layers.sources.kind === 'known' ? layers.sources.value : []
  for (const source of sources) {
    if ((source.isRecovery && !wanted.recovery) || judge(wanted, source.commandLine) === undefined) continue
    edit(editSource(wanted, { files, source, texts }))
  }
  const menus = layers.menus.kind === 'known' ? layers.menus.value : undefined
  for (const { entry, options } of menus?.loader ?? []) {
    const [line] = entry.commandLines.kind === 'known' ? entry.commandLines.value : []
    if ((entry.isRecovery && !wanted.recovery) || line === undefined || judge(wanted, line) === undefined) continue
    const { environment } = menus ?? {}
    const isInEnvironment = /\$(?:kernelopts|\{kernelopts\})/.test(options) && environment?.variables.has('kernelopts')
    edit(
      isInEnvironment === true && environment !== undefined
        ? editEnvironment(wanted, environment)
        : editEntry(wanted, files, { entry, options }),
    )
  }
  return { texts, obstacles: [...obstacles.values()] }
}

type Edited = { readonly texts: ReadonlyMap<string, string> } | { readonly reason: string }

const NO_VALUE = { reason: noNearest() }

function plainWord(
  wanted: BootArgumentDesired,
  commandLine: string,
): { readonly word: string } | { readonly reason: string } {
  const word = wordFor(wanted, commandLine)
  if (word === undefined) return NO_VALUE
  return PLAIN.test(word)
    ? { word }
    : { reason: `a fix does not write arguments that need quotes: add ${word} by hand` }
}

interface SourcePlace {
  readonly files: ConfigSnapshot
  readonly source: BootSource
  readonly texts: ReadonlyMap<string, string>
}

function editSource(wanted: BootArgumentDesired, { files, source, texts }: SourcePlace): Edited {
  const { file, commandLine } = source
  if (file === RUNNING) {
    return { reason: '/etc/kernel/cmdline does not exist, so a new kernel gets the command line of the running one' }
  }
  // The first source of the file was edited for all entries.
  if (texts.has(file) || texts.has(OWN_FILE)) return { texts: new Map() }
  const word = plainWord(wanted, commandLine)
  if ('reason' in word) return word
  if (file === '/etc/zipl.conf') return { reason: 'change the parameters in /etc/zipl.conf and run zipl' }
  if (file === '/etc/default/grub') return editGrub(wanted, files, word.word)
  const text = files.text(file)
  if (text.kind === 'unknown') return { reason: text.detail }
  const into = file.startsWith('/etc/') ? file : '/etc/kernel/cmdline'
  return { texts: new Map([[into, correctCommandLine(wanted, text.value ?? '', word.word)]]) }
}

/** Removes wrong occurrences in place, and adds a missing argument for all entries in a drop-in of driftgate. */
function editGrub(wanted: BootArgumentDesired, files: ConfigSnapshot, word: string): Edited {
  const assignments = grub.read(files)
  if (assignments.kind === 'unknown') return { reason: assignments.detail }
  const ours = assignments.value.filter(({ key }) => (GRUB_VARIABLES as readonly string[]).includes(key))
  const texts = new Map<string, string>()
  for (const file of new Set(ours.map((each) => each.file))) {
    const text = files.text(file)
    if (text.kind === 'unknown') return { reason: text.detail }
    const lines = new Set(ours.filter((each) => each.file === file).map(({ line }) => line))
    const edited = (text.value ?? '')
      .split('\n')
      .map((line, index) => (lines.has(index + 1) ? withoutWrong(wanted, line) : line))
      .join('\n')
    if (edited !== text.value) texts.set(file, removeEmptyLines(file, edited))
  }
  if (word === '' || !isMissing(wanted, files.with(texts))) return { texts }
  return addArgument(word, { files, texts, isSet: ours.some(({ key }) => key === GRUB_VARIABLES[0]) })
}

/** Removes lines of the drop-in that no longer add an argument. */
function removeEmptyLines(file: string, text: string): string {
  return file === OWN_FILE ? text.replaceAll(/^GRUB_CMDLINE_LINUX="\$GRUB_CMDLINE_LINUX"\n/gm, '') : text
}

function isMissing(wanted: BootArgumentDesired, files: Parameters<typeof grub.read>[0]): boolean {
  const assignments = grub.read(files)
  if (assignments.kind === 'unknown') return true
  const [all] = GRUB_VARIABLES
  const last = assignments.value.findLast(({ key }) => key === all)
  return judge({ ...wanted, if_absent: 'create' }, clearValue(last)) !== undefined
}

function clearValue(assignment: Assignment | undefined): string {
  return assignment?.unclear === undefined ? (assignment?.value ?? '') : ''
}

interface Addition {
  readonly files: ConfigSnapshot
  readonly texts: Map<string, string>
  readonly isSet: boolean
}

function addArgument(word: string, { files, texts, isSet }: Addition): Edited {
  const { file: place } = grub.writes(files, { section: '', key: GRUB_VARIABLES[0] })
  const file = place.startsWith('/etc/default/grub.d/') ? OWN_FILE : place
  const text = files.text(file)
  if (text.kind === 'unknown') return { reason: text.detail }
  const before = texts.get(file) ?? text.value ?? OWN_HEAD
  const line = isSet ? `GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX ${word}"` : `GRUB_CMDLINE_LINUX="${word}"`
  texts.set(file, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`)
  return { texts }
}

/** The block keeps its length, as GRUB requires. */
function editEnvironment(
  wanted: BootArgumentDesired,
  {
    file,
    text,
    variables,
  }: { readonly file: string; readonly text: string; readonly variables: ReadonlyMap<string, string> },
): Edited {
  const before = variables.get('kernelopts') ?? ''
  const word = plainWord(wanted, before)
  if ('reason' in word) return word
  const line = `kernelopts=${correctCommandLine(wanted, before, word.word)}`
  const content = text.replace(/#+$/, '').replace(/^kernelopts=.*$/m, () => line)
  if (content.length > text.length || /\\/.test(before))
    return { reason: `no space left in ${file}: use grub2-editenv` }
  return { texts: new Map([[file, content.padEnd(text.length, '#')]]) }
}

function editEntry(wanted: BootArgumentDesired, files: ConfigSnapshot, { entry, options }: LoaderEntry): Edited {
  const word = plainWord(wanted, options)
  if ('reason' in word) return word
  const text = files.text(entry.file)
  if (text.kind === 'unknown') return { reason: text.detail }
  const lines = (text.value ?? '').split('\n')
  const isOptions = (line: string): boolean => /^[ \t]*options(?:[ \t]|$)/.test(line)
  const last = lines.findLastIndex(isOptions)
  const edited = lines.map((line, index) =>
    isOptions(line) ? correctCommandLine(wanted, line, index === last ? word.word : '') : line,
  )
  if (last === -1 && word.word !== '') edited.splice(-1, 0, `options ${word.word}`)
  return { texts: new Map([[entry.file, edited.join('\n')]]) }
}
