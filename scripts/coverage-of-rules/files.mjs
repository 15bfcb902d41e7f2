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
    // What a configuration names is known when that is read.
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
  if (params.set !== undefined) return undefined
  const { glob, dir, path = dir, name_regex: expressions, recursive = false, exclude, alternative } = params
  // Elsewhere nobody belongs to the group of the alternative, for there is none.
  if (alternative !== undefined && os.startsWith('rhel')) return undefined
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
