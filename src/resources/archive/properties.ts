import { absolutePathProblem } from '../../core/path-rules.ts'
import { isSet, type PropertiesOf, type Rule } from '../../core/property.ts'
import { archiveFormat } from '../../target/archive-format.ts'
import { accountIdProblem } from '../shared/accounts.ts'
import { defineProperties } from '../../resource-type/define.ts'
import { parseSize } from './size.ts'

const SUFFIXES = '.zip, .tar.gz, .tgz, or .tar'

/** What a policy may say about an archive. */
export const archiveProperties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary: `Absolute path of the archive file; ends in ${SUFFIXES}.`,
  },
  ensure: {
    kind: 'text',
    required: true,
    oneOf: ['present', 'absent'],
    phase: 'early',
    summary: 'Whether the archive must be downloaded, and unpacked where that is asked for, or must not exist.',
  },
  url: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'Where the archive comes from, http or https; of the same kind of archive as the name.',
  },
  owner: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'User name or numeric user id of the owner of the archive file; not of what is unpacked.',
  },
  group: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'Group name or numeric group id of the archive file; not of what is unpacked.',
  },
  checksum: {
    kind: 'text',
    phase: 'early',
    pattern: { expression: '(?:[0-9a-fA-F]{64})?', describes: 'the 64 hexadecimal digits of a sha256 checksum' },
    summary: 'The sha256 checksum of the archive, compared without case.',
  },
  extract_parent: {
    kind: 'text',
    phase: 'early',
    summary: 'Absolute path of the directory the archive is unpacked into; made with its parents where it is missing.',
  },
  creates: {
    kind: 'text',
    phase: 'early',
    summary:
      'Absolute path of something the archive brings. Where it exists, nothing is downloaded only to be unpacked.',
  },
  cleanup: {
    kind: 'boolean',
    default: false,
    phase: 'early',
    summary: 'Whether the archive file is removed once it is unpacked. Needs extract_parent and creates.',
  },
  username: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary: 'User name for basic authentication; used together with a password.',
  },
  password: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    sensitive: true,
    summary: 'Password for basic authentication.',
  },
  headers: {
    kind: 'map',
    values: { kind: 'text', sensitive: true, summary: 'The value of the header.' },
    phase: 'early',
    parameter: true,
    sensitive: true,
    summary:
      'Headers of the request, never sent on to another server. `Authorization` wins over user name and password.',
  },
  timeout: {
    kind: 'duration',
    parameter: true,
    summary:
      'How long the whole download may take; six hours by default. However long, 64 KiB have to arrive every minute.',
  },
  tries: {
    kind: 'integer',
    default: 3,
    minimum: 1,
    maximum: 100,
    parameter: true,
    summary: 'How often the download is tried when the connection or the server fails.',
  },
  max_size: {
    kind: 'text',
    default: '2GiB',
    parameter: true,
    summary: 'How large the archive may be, in bytes or with a unit such as `500MB` or `2GiB`.',
  },
  max_extracted_size: {
    kind: 'text',
    default: '10GiB',
    parameter: true,
    summary: 'How much may come out of the archive, in bytes or with a unit.',
  },
})

/** The settled properties of one archive resource. */
export type ArchiveProperties = PropertiesOf<typeof archiveProperties>

/** Conditions over several properties. */
export const archiveRules: readonly Rule<ArchiveProperties>[] = [
  { reads: ['url'], at: 'url', check: ({ url }) => (url === undefined ? undefined : urlProblem(url)) },
  {
    reads: ['name'],
    at: 'name',
    check: ({ name }) =>
      name === undefined || archiveFormat(name) !== undefined ? undefined : `name must end in ${SUFFIXES}`,
  },
  {
    summary: '`url` and `name` end in the same kind of archive.',
    reads: ['url', 'name'],
    at: 'url',
    check: kindProblem,
  },
  {
    summary: '`cleanup: true` needs `extract_parent`.',
    reads: ['cleanup', 'extract_parent'],
    at: 'cleanup',
    check: ({ cleanup, extract_parent }) =>
      cleanup === true && !isSet(extract_parent) ? 'cleanup requires extract_parent to be set' : undefined,
  },
  {
    summary: '`cleanup: true` needs `creates`.',
    reads: ['cleanup', 'creates'],
    at: 'cleanup',
    check: ({ cleanup, creates }) =>
      cleanup === true && !isSet(creates) ? 'cleanup requires creates to be set' : undefined,
  },
  absolutePath('creates'),
  absolutePath('extract_parent'),
  accountId('owner'),
  accountId('group'),
  { reads: ['headers'], at: 'headers', check: ({ headers = {} }) => headerProblem(headers) },
  {
    reads: ['timeout'],
    at: 'timeout',
    check: ({ timeout }) => (timeout === 0 ? 'timeout must be above 0' : undefined),
  },
  size('max_size'),
  size('max_extracted_size'),
]

/** The URL is never repeated, because it may hold a password. */
function urlProblem(text: string): string | undefined {
  // As the URL standard does not know relative URLs, their absence of a scheme has to be seen by itself.
  if (!/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)) {
    return 'url must be absolute (include scheme like http:// or https://)'
  }
  if (!URL.canParse(text)) return 'invalid url: it cannot be parsed'
  const { protocol, pathname } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'invalid url: its scheme must be http or https'
  if (fileName(pathname) === '') return 'url must have a filename in the path'
  return archiveFormat(pathname) === undefined ? `url filename must end in ${SUFFIXES}` : undefined
}

function kindProblem({ url = '', name = '' }: Partial<ArchiveProperties>): string | undefined {
  const ofUrl = URL.canParse(url) ? archiveFormat(new URL(url).pathname) : undefined
  const ofName = archiveFormat(name)
  if (ofUrl === undefined || ofName === undefined || ofUrl === ofName) return undefined
  return `url and name must have the same archive type: url is ${ofUrl}, name is ${ofName}`
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function absolutePath(property: 'creates' | 'extract_parent'): Rule<ArchiveProperties> {
  return {
    reads: [property],
    at: property,
    check({ [property]: path }) {
      const problem = isSet(path) ? absolutePathProblem(path) : undefined
      return problem === undefined ? undefined : `${property} path ${problem}`
    },
  }
}

function accountId(property: 'owner' | 'group'): Rule<ArchiveProperties> {
  return {
    reads: [property],
    at: property,
    check: ({ [property]: text }) => accountIdProblem(property, text),
  }
}

function size(property: 'max_size' | 'max_extracted_size'): Rule<ArchiveProperties> {
  return {
    reads: [property],
    at: property,
    check({ [property]: text }) {
      if (text === undefined || parseSize(text) !== undefined) return undefined
      return `${property} must be a number of bytes, or one with a unit such as "500MB" or "2GiB"`
    },
  }
}

/** @see RFC 9110, sections 5.1 and 5.5 */
function headerProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return `headers: ${JSON.stringify(name)} cannot be a header's name`
    // The value is a secret and not shown.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return `headers.${name} has characters that a header cannot hold`
  }
  return undefined
}
