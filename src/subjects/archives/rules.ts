import { baseName } from '../../model/file-name.ts'
import { absolutePathProblem } from '../../model/path-rules.ts'
import { isSet, type Rule } from '../../model/property.ts'
import { parseSize } from '../../model/size.ts'
import { archiveFormat } from '../../host/archive/archive-format.ts'
import type { ArchiveDesired } from './decide.ts'

export const SUFFIXES = '.zip, .tar.gz, .tgz, or .tar'

/** Rules across properties. */
export const archiveRules: readonly Rule<ArchiveDesired>[] = [
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
  { reads: ['headers'], at: 'headers', check: ({ headers = {} }) => headerProblem(headers) },
  {
    reads: ['timeout'],
    at: 'timeout',
    check: ({ timeout }) => (timeout === 0 ? 'timeout must be above 0' : undefined),
  },
  size('max_size'),
  size('max_extracted_size'),
]

/** The message never repeats the URL, which may contain a password. */
function urlProblem(text: string): string | undefined {
  // The URL parser reports relative URLs as invalid, so a missing scheme is checked first.
  if (!/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)) {
    return 'url must be absolute (include scheme like http:// or https://)'
  }
  if (!URL.canParse(text)) return 'invalid url: it cannot be parsed'
  const { protocol, pathname } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'invalid url: its scheme must be http or https'
  if (baseName(pathname) === '') return 'url must have a filename in the path'
  return archiveFormat(pathname) === undefined ? `url filename must end in ${SUFFIXES}` : undefined
}

function kindProblem({ url = '', name = '' }: Partial<ArchiveDesired>): string | undefined {
  const ofUrl = URL.canParse(url) ? archiveFormat(new URL(url).pathname) : undefined
  const ofName = archiveFormat(name)
  if (ofUrl === undefined || ofName === undefined || ofUrl === ofName) return undefined
  return `url and name must have the same archive type: url is ${ofUrl}, name is ${ofName}`
}

function absolutePath(property: 'creates' | 'extract_parent'): Rule<ArchiveDesired> {
  return {
    reads: [property],
    at: property,
    check({ [property]: path }) {
      const problem = isSet(path) ? absolutePathProblem(path) : undefined
      return problem === undefined ? undefined : `${property} path ${problem}`
    },
  }
}

function size(property: 'max_size' | 'max_extracted_size'): Rule<ArchiveDesired> {
  return {
    reads: [property],
    at: property,
    check({ [property]: text }) {
      if (text === undefined || (parseSize(text) ?? 0) > 0) return undefined
      return `${property} must be a number of bytes or a size with a unit, such as "500MB" or "2GiB"`
    },
  }
}

/** @see RFC 9110, sections 5.1 and 5.5 */
function headerProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return `headers: ${JSON.stringify(name)} is not a valid header name`
    // The value is a secret and not shown.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return `headers.${name} contains characters that are invalid in a header value`
  }
  return undefined
}
