import {
  type Acceptance,
  acceptanceProblem,
  mapAcceptance,
  type ValueOrder,
  valuesNamed,
} from '../../core/acceptance.ts'
import { isSet, type PropertiesOf, type Rule } from '../../core/property.ts'
import { accountIdProblem, type AccountProperty } from '../shared/account.ts'
import { defineProperties } from '../../resource-type/define.ts'
import { MODES, parseMode } from './mode.ts'

/** What a policy may say about a file or directory. */
export const fileProperties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary: 'Absolute path of the file or directory, without `.` or `..` components.',
  },
  ensure: {
    kind: 'text',
    required: true,
    oneOf: ['present', 'absent', 'directory'],
    phase: 'early',
    summary: 'Whether the path must be a regular file, must not exist, or must be a directory.',
  },
  content: {
    kind: 'text',
    aliases: ['contents'],
    phase: 'deferred',
    summary:
      'What the file must contain; the empty text is an empty file. Without content and source only owner, group and mode are managed.',
  },
  source: {
    kind: 'text',
    phase: 'deferred',
    summary: "A local file the content must equal, relative to the policy's directory.",
  },
  owner: {
    kind: 'text',
    accepts: ['is', 'not', 'one_of', 'none_of'],
    phase: 'early',
    summary:
      'User name or numeric user id of the owner; a number is never looked up. Required where the file is created.',
  },
  group: {
    kind: 'text',
    accepts: ['is', 'not', 'one_of', 'none_of'],
    phase: 'early',
    summary: 'Group name or numeric group id; a number is never looked up. Required where the file is created.',
  },
  mode: {
    kind: 'text',
    accepts: ['is', 'not', 'one_of', 'none_of', 'at_least', 'at_most'],
    phase: 'early',
    summary:
      'Permissions in octal, such as `"0644"`, or `"1777"` with a special bit; a directory gets the execute bit where read or write is set. Required where the file is created.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'drift', 'compliant'],
    default: 'create',
    phase: 'early',
    parameter: true,
    summary:
      'What it means that nothing is there: a difference that a fix creates, with empty content where none is given; a difference that a fix refuses; or no difference. With `drift` and `compliant`, `owner`, `group` and `mode` may be left out; what is left out is not compared and stays as it is.',
  },
  force: {
    kind: 'boolean',
    default: false,
    parameter: true,
    summary: 'Lets `absent` remove a directory that is not empty.',
  },
})

/** The settled properties of one file resource. */
export type FileProperties = PropertiesOf<typeof fileProperties>

/** Conditions over several properties. */
export const fileRules: readonly Rule<FileProperties>[] = [
  requiredToCreate('owner'),
  requiredToCreate('group'),
  requiredToCreate('mode'),
  {
    summary: '`if_absent` needs `ensure: present` or `ensure: directory`.',
    reads: ['ensure', 'if_absent'],
    at: 'if_absent',
    check: ({ ensure, if_absent: ifAbsent }) =>
      ensure === 'absent' && ifAbsent !== undefined && ifAbsent !== 'create'
        ? `'if_absent: ${ifAbsent}' contradicts 'ensure: absent'`
        : undefined,
  },
  { reads: ['mode'], at: 'mode', check: ({ mode }) => modeProblem(mode) },
  { reads: ['owner'], at: 'owner', check: ({ owner }) => accountProblem('owner', owner) },
  { reads: ['group'], at: 'group', check: ({ group }) => accountProblem('group', group) },
  {
    summary: '`force: true` needs `ensure: absent`.',
    reads: ['ensure', 'force'],
    at: 'force',
    check: ({ ensure, force }) =>
      force === true && ensure !== undefined && ensure !== 'absent'
        ? `'force: true' is only valid with 'ensure: absent', got 'ensure: ${ensure}'`
        : undefined,
  },
  {
    summary: '`force: true` never removes the root of the file system.',
    reads: ['name', 'force'],
    at: 'force',
    check: ({ name, force }) =>
      force === true && name === '/' ? "'force: true' cannot be used with the filesystem root" : undefined,
  },
  {
    summary: 'Only one of `content` or `source` can be set.',
    reads: ['content', 'source'],
    at: 'source',
    check: ({ content, source }) =>
      content !== undefined && isSet(source) ? "'content' and 'source' are mutually exclusive" : undefined,
  },
]

function requiredToCreate(property: 'owner' | 'group' | 'mode'): Rule<FileProperties> {
  return {
    summary: `\`${property}\` is required unless \`ensure\` is \`absent\` or \`if_absent\` is \`drift\` or \`compliant\`.`,
    reads: ['ensure', 'if_absent', property],
    at: property,
    check: ({ ensure, if_absent: ifAbsent = 'create', [property]: value }) => {
      if (ensure !== 'present' && ensure !== 'directory') return undefined
      // What a template leaves empty was meant to be compared.
      const isMissing = value === '' || (value === undefined && ifAbsent === 'create')
      return isMissing ? `${property} cannot be empty` : undefined
    },
  }
}

type Written = string | Acceptance<string> | undefined

function modeProblem(mode: Written): string | undefined {
  const parsed = new Map(namedIn(mode).map((text) => [text, parseMode(text)]))
  for (const each of parsed.values()) if ('problem' in each) return each.problem
  const bitsOf = (text: string): number => {
    const each = parsed.get(text)
    return each !== undefined && 'bits' in each ? each.bits : 0
  }
  return typeof mode === 'object' ? wholeProblem('mode', MODES, mapAcceptance(mode, bitsOf)) : undefined
}

function accountProblem(property: AccountProperty, written: Written): string | undefined {
  const problem = namedIn(written)
    .map((text) => accountIdProblem(property, text))
    .find((each) => each !== undefined)
  if (problem !== undefined || typeof written !== 'object') return problem
  return wholeProblem(property, { equals: (left, right) => left === right }, written)
}

/** What a property names; the empty text alone is told of as missing. */
function namedIn(written: Written): readonly string[] {
  if (typeof written === 'string') return isSet(written) ? [written] : []
  return written === undefined ? [] : valuesNamed(written)
}

function wholeProblem<Value>(
  property: string,
  order: ValueOrder<Value>,
  acceptance: Acceptance<Value>,
): string | undefined {
  if (valuesNamed(acceptance).some((value) => value === '')) return `${property} cannot be empty`
  const problem = acceptanceProblem(order, acceptance)
  return problem === undefined ? undefined : `${property} ${problem}`
}
