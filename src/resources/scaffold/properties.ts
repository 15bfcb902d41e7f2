import type { PropertiesOf, Rule } from '../../core/property.ts'
import { splitWords } from '../../core/shell-split.ts'
import { defineProperties } from '../../resource-type/define.ts'
import { globProblem } from './go-match.ts'

/** What a policy may say about a directory rendered from templates. */
export const scaffoldProperties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary: 'Absolute path of the directory the templates are rendered into, without `.` or `..` components.',
  },
  ensure: {
    kind: 'text',
    required: true,
    oneOf: ['present', 'absent'],
    phase: 'early',
    summary: 'Whether the rendered files must be there, or none of them.',
  },
  source: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      "The directory of templates, relative to the policy's directory; or the URL or path of an archive that holds it.",
  },
  engine: {
    kind: 'text',
    oneOf: ['go', 'jet'],
    default: 'jet',
    phase: 'never',
    summary: 'The template language: `jet` or `go` (text/template with sprig).',
  },
  left_delimiter: {
    kind: 'text',
    phase: 'never',
    summary: 'What opens a template action instead of `[[` (jet) or `{{` (go); set together with right_delimiter.',
  },
  right_delimiter: {
    kind: 'text',
    phase: 'never',
    summary: 'What closes a template action instead of `]]` (jet) or `}}` (go); set together with left_delimiter.',
  },
  data: {
    kind: 'map',
    values: { kind: 'any', summary: 'A value.' },
    phase: 'early',
    summary: "What the templates see as data, in place of the policy's own; an empty map changes nothing.",
  },
  skip_empty: {
    kind: 'boolean',
    default: false,
    summary: 'Leaves out files that render to nothing but white space.',
  },
  purge: {
    kind: 'boolean',
    default: false,
    summary: 'Allows no other files in the directory and removes them.',
  },
  post: {
    kind: 'list',
    items: {
      kind: 'map',
      values: { kind: 'text', summary: 'A command; `{}` is the path of the file, which else comes last.' },
      summary: 'Patterns for file names with the command for each.',
    },
    phase: 'early',
    parameter: true,
    summary:
      'Commands a fix runs on the files it has written, by patterns for their names. They run without a shell in the directory of the scaffold and must not change what the file contains.',
  },
})

/** The settled properties of one scaffold resource. */
export type ScaffoldProperties = PropertiesOf<typeof scaffoldProperties>

/** Conditions over several properties. */
export const scaffoldRules: readonly Rule<ScaffoldProperties>[] = [
  {
    summary: '`left_delimiter` and `right_delimiter` are set together or not at all.',
    reads: ['left_delimiter', 'right_delimiter'],
    at: 'left_delimiter',
    check: ({ left_delimiter: left = '', right_delimiter: right = '' }) =>
      (left === '') === (right === '') ? undefined : 'both left_delimiter and right_delimiter must be set',
  },
  { reads: ['post'], at: 'post', check: ({ post = [] }) => firstProblem(post) },
]

function firstProblem(post: readonly Readonly<Record<string, string>>[]): string | undefined {
  for (const entry of post) {
    for (const [glob, command] of Object.entries(entry)) {
      const problem = postProblem(glob, command)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function postProblem(glob: string, command: string): string | undefined {
  if (glob === '') return 'post keys cannot be empty'
  if (command === '') return `post value for key "${glob}" cannot be empty`
  const problem = globProblem(glob)
  if (problem !== undefined) return `post key "${glob}": ${problem}`
  const words = splitWords(command)
  if (!words.ok) return `post value for key "${glob}": ${words.problem}`
  return words.words.length === 0 ? `post value for key "${glob}" cannot be empty` : undefined
}
