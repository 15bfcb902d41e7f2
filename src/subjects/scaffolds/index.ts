import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { splitWords } from '../../model/shell-split.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { withParents } from '../shared/paths.ts'
import { riskOfPaths } from '../shared/risk.ts'
import { applyScaffold } from './apply.ts'
import { decideScaffold } from './decide.ts'
import { globProblem } from '../../model/go-glob.ts'
import { observeScaffold } from './observe.ts'
import { type ScaffoldContext, type ScaffoldState, type ScaffoldDesired, statusOf } from './state.ts'

const properties = defineProperties({
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
    summary: 'Whether the rendered files must exist, or none of them.',
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
    summary:
      'Left delimiter of template actions instead of `[[` (jet) or `{{` (go); set together with right_delimiter.',
  },
  right_delimiter: {
    kind: 'text',
    phase: 'never',
    summary:
      'Right delimiter of template actions instead of `]]` (jet) or `}}` (go); set together with left_delimiter.',
  },
  data: {
    kind: 'map',
    values: { kind: 'any', summary: 'A value.' },
    phase: 'early',
    summary: "Data for the templates, instead of the policy's data; an empty map changes nothing.",
  },
  skip_empty: {
    kind: 'boolean',
    default: false,
    summary: 'Omits files that render to white space only.',
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
      values: {
        kind: 'text',
        summary: 'A command; `{}` is replaced by the path of the file, which is appended otherwise.',
      },
      summary: 'Patterns for file names with the command for each.',
    },
    phase: 'early',
    parameter: true,
    summary:
      'Commands a fix runs on the files it has written, by patterns for their names. They run without a shell in the directory of the scaffold and must not change what the file contains.',
  },
})

const PATH = { kind: 'text', summary: 'An absolute path.' } as const

const exports = defineExports({
  path: { kind: 'text', summary: 'The target directory.' },
  exists: { kind: 'boolean', summary: 'Whether the target directory exists.' },
  stable: {
    kind: 'list',
    items: PATH,
    summary: 'The compliant rendered files; with `ensure: absent`, the files that still exist.',
  },
  changed: { kind: 'list', items: PATH, summary: 'The rendered files that are missing or differ.' },
  purged: {
    kind: 'list',
    items: PATH,
    summary: 'The files that do not belong to it; checked only with `purge`.',
  },
})

export const scaffold: ResourceType = defineResource({
  type: 'scaffold',
  summary: 'Directories rendered from templates: which files there are and what they contain.',
  properties,
  rules: [
    {
      summary: '`left_delimiter` and `right_delimiter` are set together or not at all.',
      reads: ['left_delimiter', 'right_delimiter'],
      at: 'left_delimiter',
      check: ({ left_delimiter: left = '', right_delimiter: right = '' }) =>
        (left === '') === (right === '') ? undefined : 'both left_delimiter and right_delimiter must be set',
    },
    { reads: ['post'], at: 'post', check: ({ post = [] }) => firstProblem(post) },
  ],
  exports,
  drifts: ['content', 'ensure'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'The configuration of an application, without other files in its directory',
      yaml: `
        scaffold:
          - /etc/app:
              ensure: present
              source: templates/app
              engine: jet
              purge: true`,
    },
    {
      title: 'Go templates with their own delimiters',
      yaml: `
        scaffold:
          - /etc/myservice:
              ensure: present
              source: templates/myservice
              engine: go
              left_delimiter: "<<"
              right_delimiter: ">>"`,
    },
    {
      title: 'Own data, no empty files, and a check of what a fix has written',
      yaml: `
        scaffold:
          - /etc/sudoers.d:
              ensure: present
              source: templates/sudoers
              skip_empty: true
              data:
                admins: [alice, bob]
              post:
                - "*": visudo -c -f {}`,
    },
    {
      title: 'Rendered files that must not exist; other files in the directory stay',
      yaml: `
        scaffold:
          - /etc/legacy:
              ensure: absent
              source: templates/legacy`,
    },
  ],
  // Follows the rules of choria-io/scaffold, on any system.
  providers: [{ name: 'choria', observe: observeScaffold, apply: applyScaffold }],
  decide: decideScaffold,
  hazards: ({ name }) => ({ risk: riskOfPaths([name]) }),
  exportsOf: exportsOfScaffold,
  // A fix creates the target with all its parents; the rendered files are only known later.
  provides: ({ name, ensure }) => (ensure === 'absent' ? [] : withParents(name)),
})

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

function exportsOfScaffold(
  { name }: ScaffoldDesired,
  observed: Seen<ScaffoldState, ScaffoldContext>,
): ExportsOf<typeof exports> {
  if (observed.kind === 'absent' || observed.state.kind === 'other') return { path: name, exists: false }
  const { leftovers, unexpected } = observed.state
  const { stable, changed, purged } = statusOf(name, observed.state)
  return {
    path: name,
    exists: true,
    stable: leftovers.kind === 'known' ? stable : undefined,
    changed,
    purged: unexpected.kind === 'known' ? purged : undefined,
  }
}
