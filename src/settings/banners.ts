import { pathsIn } from '../host/paths-in.ts'
import { trimBlanksOfC } from './blanks.ts'
import { known, type Reading, mapReading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import type { Edited, Format } from './formats/format.ts'
import { isThere } from './reading.ts'
import { readServiceCommand } from './service-command.ts'
import type { ConfigFiles, KeyRules, Surface } from './surface.ts'

const TEXT: KeyRules = { order: { equals: (left, right) => left === right }, wins: 'all', default: '' }

const ISSUE_NET = '/etc/issue.net'

const byHand = (): Edited => ({ kind: 'refused', reason: 'write the text by hand' })

const format: Format = {
  name: 'text',
  hasSections: false,
  parse: (text, file) => known(linesOf(text, file)),
  set: byHand,
  remove: byHand,
}

/** The text that agetty shows before a local login. @see agetty(8), ISSUE FILES */
export const issue: Surface = bannerSurface(
  'issue',
  '`issue:text` is the text that agetty shows before a local login: `/etc/issue` with `/etc/issue.d/*.issue`, otherwise the same files in `/run`, then in `/usr/lib`, and the issue files on the command line of its unit.',
  (files) => {
    const [usual, named] = [usualIssue(files), issueOfUnits(files)]
    if (usual.kind === 'unknown' || named.kind === 'unknown') return usual.kind === 'unknown' ? usual : named
    return known([...new Set([...usual.value, ...named.value])])
  },
)

function usualIssue(files: ConfigFiles): Reading<readonly string[]> {
  if (isThere(files, '/etc/issue')) return withDirectory(files, '/etc')
  const ofRun = withDirectory(files, '/run')
  return ofRun.kind === 'known' && ofRun.value.length === 0 ? withDirectory(files, '/usr/lib') : ofRun
}

/** The files, and those in directories, that units name. @see agetty(8), --issue-file */
function issueOfUnits(files: ConfigFiles): Reading<readonly string[]> {
  const paths: string[] = []
  for (const unit of ['getty@.service', 'serial-getty@.service', 'console-getty.service']) {
    const words = readServiceCommand(files, [unit], ['agetty'])
    if (words.kind === 'unknown') return words
    const texts = words.value.map(({ text }) => text)
    const named = texts.map((text, index) => {
      if (text === '-f' || text === '--issue-file') return texts[index + 1] ?? ''
      return /^(?:-f|--issue-file=)(.+)$/.exec(text)?.[1] ?? ''
    })
    for (const path of named.flatMap((list) => list.split(':')).filter((each) => each !== '')) {
      const kind = files.kind(path)
      // Of a system that does not run, it is unknown.
      if (kind.kind === 'unknown' && path.startsWith('/run/')) continue
      const issues = kind.kind === 'known' && kind.value === 'directory' ? pathsIn(files, [path], isIssue) : known([])
      if (issues.kind === 'unknown') return issues
      paths.push(path, ...issues.value)
    }
  }
  return known(paths)
}

/** The text that services for the network show before a login. @see issue.net(5) */
export const issueNet: Surface = {
  ...bannerSurface('issue_net', '`issue_net:text` is the text of `/etc/issue.net`.', () => known([ISSUE_NET])),
  summary: '`issue_net:text` is the text of `/etc/issue.net`. A fix writes the file if it has no text.',
  writes: () => ({
    file: ISSUE_NET,
    format: {
      ...format,
      set: (text, _place, values) =>
        trimBlanksOfC(text) === '' ? { kind: 'edited', text: `${values.join(' ')}\n` } : byHand(),
    },
  }),
}

/** A surface whose one key is the text of some files. */
export function bannerSurface(
  name: string,
  summary: string,
  pathsOf: (files: ConfigFiles) => Reading<readonly string[]>,
  comment?: RegExp,
): Surface {
  return {
    name,
    summary: `${summary} A fix does not change these files.`,
    installed: () => known(true),
    keyOf: (text) => (text === 'text' ? { section: '', key: text } : { problem: 'must be text' }),
    rulesOf: () => TEXT,
    read(files) {
      const paths = pathsOf(files)
      if (paths.kind === 'unknown') return paths
      const lines: Assignment[] = []
      for (const path of paths.value) {
        const kind = files.kind(path)
        const text = kind.kind === 'known' && kind.value === 'file' ? files.text(path) : kind
        if (text.kind === 'unknown') return text
        if (kind.kind === 'known' && kind.value === 'file') lines.push(...linesOf(text.value ?? '', path))
      }
      return known(lines.filter(({ value }) => comment?.test(value) !== true))
    },
    writes: () => ({ file: `/etc/${name}`, format }),
    activation: { kind: 'none' },
  }
}

function withDirectory(files: ConfigFiles, place: string): Reading<readonly string[]> {
  const issues = pathsIn(files, [`${place}/issue.d`], isIssue)
  const main = isThere(files, `${place}/issue`) ? [`${place}/issue`] : []
  return mapReading(issues, (paths) => [...main, ...paths])
}

function isIssue(name: string): boolean {
  return /^[^.].*\.issue$/.test(name)
}

function linesOf(text: string, file: string): readonly Assignment[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line === '' ? [] : [{ section: '', key: 'text', value: line, file, line: index + 1 }]))
}
