import type { Problem } from '../../../model/problem.ts'
import { readForm, wrong } from '../../../policy/document/form.ts'
import { positionAt, type SourceText, sourceText } from '../../../policy/document/lines.ts'
import { saysNothing } from '../../../policy/document/read-document.ts'
import { entriesOf } from '../../../policy/document/tree.ts'
import type { PassedOver } from '../inventory.ts'
import { hideSecrets, type Variable, variableOf, type Variables } from './variable.ts'
import { yamlValues } from './yaml-value.ts'

/** The files beside an inventory. Paths start from where it lies. */
export interface FilesBeside {
  /** What is in a directory; undefined where there is none. */
  readonly list: (path: string) => readonly EntryBeside[] | Problem | undefined
  readonly read: (path: string) => { readonly file: string; readonly text: string } | Problem
}

/** Something in a directory, links followed. */
interface EntryBeside {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'other'
}

/** What `group_vars` and `host_vars` say of one name. */
export interface FoundBeside {
  readonly variables: Variables
  /** Files of which nobody but Ansible knows what is in them. */
  readonly passedOver: readonly PassedOver[]
}

const EXTENSIONS = ['', '.yml', '.yaml', '.json']

/** Reads what lies beside an inventory for a group or host. @see ansible/plugins/vars/host_group_vars.py */
export function variablesBeside(
  files: FilesBeside,
  directory: 'group_vars' | 'host_vars',
  problems: Problem[],
): (name: string) => FoundBeside {
  const known = new Map<string, FoundBeside>()
  return (name) => {
    const found = known.get(name) ?? readAll(files, filesOf(files, directory, { name, problems }), problems)
    known.set(name, found)
    return found
  }
}

interface Wanted {
  readonly name: string
  readonly problems: Problem[]
}

function listed({ list }: FilesBeside, path: string, problems: Problem[]): readonly EntryBeside[] {
  const found = list(path)
  if (found === undefined) return []
  if (!('message' in found)) return found
  problems.push(found)
  return []
}

/** Of the files that could be of a name the first; all files in it where it is a directory. */
function filesOf(files: FilesBeside, directory: string, { name, problems }: Wanted): readonly string[] {
  const entries = listed(files, directory, problems)
  const first = EXTENSIONS.map((extension) => entries.find((entry) => entry.name === `${name}${extension}`)).find(
    (entry) => entry !== undefined,
  )
  if (first === undefined) return []
  const path = `${directory}/${first.name}`
  return first.kind === 'directory' ? filesIn(files, path, problems) : [path]
}

function filesIn(files: FilesBeside, directory: string, problems: Problem[]): readonly string[] {
  const entries = listed(files, directory, problems).filter(({ name }) => !name.startsWith('.') && !name.endsWith('~'))
  return entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ name, kind }) => {
      const extension = /(?<=.)\.[^.]*$/.exec(name)?.[0] ?? ''
      if (kind === 'directory') return extension === '' ? filesIn(files, `${directory}/${name}`, problems) : []
      return kind === 'file' && EXTENSIONS.includes(extension) ? [`${directory}/${name}`] : []
    })
}

function readAll(files: FilesBeside, paths: readonly string[], problems: Problem[]): FoundBeside {
  const variables = new Map<string, Variable>()
  const passedOver: PassedOver[] = []
  for (const path of paths) {
    const read = files.read(path)
    if ('message' in read) {
      problems.push(read)
    } else if (read.text.startsWith('$ANSIBLE_VAULT;')) {
      const position = positionAt(sourceText(read.file, ''), 0)
      passedOver.push({ name: 'the whole file', position, why: 'encrypted' })
    } else {
      for (const [name, variable] of readOne(read, problems)) variables.set(name, variable)
    }
  }
  return { variables, passedOver }
}

function readOne(read: { readonly file: string; readonly text: string }, problems: Problem[]): Variables {
  if (saysNothing(read.text.replace(/^---\s*$/m, ''))) return new Map()
  const variables = new Map<string, Variable>()
  const found = readForm({ ...read, what: 'file of variables' }, (root, reading) => {
    hideSecrets(reading.source)
    if (root.kind !== 'map') wrong(reading, root, 'a file of variables is a map')
    const { valueOf } = yamlValues(reading.source)
    for (const [name, { keyOffset, value }] of entriesOf(root)) {
      variables.set(name, variableOf(valueOf(value), { source: reading.source, offset: keyOffset }))
    }
  })
  if (!found.ok)
    problems.push(...found.problems.map((problem) => withoutSecretLine(problem, sourceText(read.file, read.text))))
  return variables
}

/** What is no YAML was not told its secrets yet. */
export function withoutSecretLine(problem: Problem, source: SourceText): Problem {
  const { sourceLine, ...rest } = problem
  hideSecrets(source)
  return sourceLine === undefined || source.secrets.lines.has(problem.position?.line ?? 0) ? rest : problem
}
