// Rules about sets of files: a walk over all local file systems, or what lies in a directory.
import { oneOf } from './acceptance.mjs'
import { homes } from './account.mjs'
import { globsOf } from './globs.mjs'

export const files = {
  kinds: ['files'],
  translate(rule) {
    const { os, sub, params } = rule
    if (sub === 'home-tree') return homes(rule)
    if (sub === 'walk') return [walk(params)]
    if (sub === 'bounded') return bounded(os, params)
    if (sub === 'audit-log-dir') return auditLogs(params)
    if (sub === 'from-config') return fromConfig(params)
    return undefined
  },
}

const WALKS = {
  'none f mode & 0002': { kinds: ['file'], mode: { at_most: '7775' } },
  'mode & 1000 d mode & 0002': { kinds: ['directory'], with_mode: { at_least: '0002' }, mode: { at_least: '1000' } },
  'none d nouser': { kinds: ['directory'], unowned: false },
  'none any nouser': { unowned: false },
  'none any nogroup': { unowned: false },
}

function walk({ require, type = 'any', where }) {
  const properties = WALKS[`${require} ${type} ${where}`]
  return properties && resource('/', { file_systems: 'all_local', ...properties })
}

/** Paths from the root alone: neither empty nor a dot. */
const ABSOLUTE = { matches: '/[^:]*(:/[^:]*)*' }

function bounded(os, params) {
  if (params.set === "root's PATH" && params.type === undefined) {
    return [{ type: 'setting', name: 'shell:PATH', properties: { value: ABSOLUTE } }]
  }
  if (params.set !== undefined) return ofPath(params)
  const { glob, dir, path = dir, name_regex: expressions, recursive = false, exclude, alternative } = params
  // Elsewhere the group of the alternative does not exist.
  if (alternative !== undefined && os.startsWith('rhel')) {
    const { group, ...others } = alternative
    const { alternative: _said, ...usual } = params
    const [first] = bounded(os, usual)
    return [
      among(first, { not: group }),
      among({ ...first, properties: { ...first.properties, ...attributesOf(others) } }, group),
    ]
  }
  const attributes = attributesOf(params)
  const depth = recursive ? {} : { depth: 1 }
  if (glob !== undefined) {
    const [, directory, name] = /^(.*)\/([^/]*)$/.exec(glob)
    return [resource(directory, { kinds: ['file'], include: [name], depth: 1, ...attributes })]
  }
  const patterns = [expressions ?? []].flat().map(globsOf)
  if (patterns.includes(undefined)) return undefined
  const included = patterns.flat()
  const include = included.length === 0 || included.includes('*') ? {} : { include: included }
  return [path].flat().map((directory) =>
    resource(directory.replace(/\/$/, ''), {
      kinds: ['file'],
      ...include,
      ...(exclude === undefined ? {} : { exclude: exclude.map((name) => name.replace('-', String.raw`\-`)) }),
      ...depth,
      ...attributes,
    }),
  )
}

function among({ name, properties }, group) {
  return resource(name, { ...properties, with_group: group })
}

/** What root has in PATH; a rule about what that is wants each to be there. */
function ofPath({ set, type, mode_max: mode }) {
  if (set === "root's PATH" && type === 'd') return [named('root_path', { kind: 'directory', if_absent: 'drift' })]
  if (set === "directories of root's PATH") return [named('root_path', { mode: { at_most: mode } })]
  return undefined
}

function auditLogs({ path, group, ...attributes }) {
  const kinds = path === 'log_file directory of auditd.conf' ? ['directory'] : ['file']
  if (group === undefined) return [named('auditd', { kinds, ...attributesOf(attributes) })]
  // What the daemon gives to the next log, and what those have that there are.
  if (group !== 'log_group of auditd.conf, root or adm') return undefined
  const accepted = { one_of: ['root', 'adm'] }
  return [
    {
      type: 'setting',
      name: 'auditd:log_group',
      properties: { value: accepted },
      otherwise: { if_absent: 'compliant' },
    },
    named('auditd', { kinds, group: accepted }),
  ]
}

function fromConfig({ set, ...attributes }) {
  if (set !== 'files named in rsyslog configuration') return undefined
  return [named('rsyslog', { kinds: ['file'], ...attributesOf(attributes) })]
}

function named(program, properties) {
  return resource('/', { named_by: program, ...properties })
}

/** Resources about one directory are about different files of it, unless they say the same of which. */
function resource(name, properties) {
  const { mode: _mode, owner: _owner, group: _group, unowned: _unowned, ...scope } = properties
  return { type: 'files', name, properties, otherwise: { if_absent: 'compliant' }, scope: JSON.stringify(scope) }
}

function attributesOf({ owner, owner_one_of: owners, group, group_one_of: groups, mode_max: mode }) {
  return {
    ...(mode === undefined ? {} : { mode: { at_most: mode } }),
    ...(owners === undefined && owner === undefined ? {} : { owner: oneOf(owners ?? owner) }),
    ...(groups === undefined && group === undefined ? {} : { group: oneOf(groups ?? group) }),
  }
}
