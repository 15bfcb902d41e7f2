// Rules about one path, or several that are named: whether it is there, whose it is and who may do what with it.
import { oneOf } from './acceptance.mjs'

export const file = {
  kinds: ['file'],
  translate({ params }) {
    if (params.any_of_files !== undefined) return [oneIsThere(params.any_of_files)]
    if (params.exists !== undefined) return [existence(params)]
    return [params.path].flat().map((path) => resource(path, attributesOf(params)))
  },
}

/** One of several that mean the same, which no single path says. */
function oneIsThere(paths) {
  const command = `test ${paths.map((path) => `-s ${path}`).join(' -o ')}`
  return { type: 'command', name: `one of ${paths.join(', ')}`, properties: { command } }
}

function existence({ path, exists }) {
  return exists ? resource(path, { ensure: 'present', if_absent: 'drift' }) : resource(path, { ensure: 'absent' })
}

/** A rule says a directory by a slash at the end. */
function resource(path, properties) {
  const isDirectory = path.endsWith('/')
  const ensure = properties.ensure ?? (isDirectory ? 'directory' : 'present')
  // Attributes alone say nothing about a file that is missing; another rule about it may.
  const otherwise = ensure === 'absent' ? {} : { if_absent: 'compliant' }
  return {
    type: 'file',
    name: isDirectory ? path.slice(0, -1) : path,
    properties: { ...properties, ensure },
    otherwise,
  }
}

function attributesOf({ owner, owner_one_of: owners, group, group_one_of: groups, mode_max: mode }) {
  const accepted = {
    owner: owners ?? owner,
    group: groups ?? group,
  }
  const ids = Object.entries(accepted).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(ids.map(([key, value]) => [key, oneOf(value)])),
    ...(mode === undefined ? {} : { mode: { at_most: mode } }),
  }
}
