// What is known of where a package comes from. Nothing of it is of the moment: the same input makes the same bytes.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/**
 * The version, the commit and the time in seconds: that of SOURCE_DATE_EPOCH, or of the commit. Outside of a clone
 * the commit is null, and the time too unless it is said.
 */
export function buildInfo(root, env = process.env) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [commit, committed] = git(root, 'log', '-1', '--format=%H %ct')?.split(' ') ?? []
  const isChanged = commit !== undefined && git(root, 'status', '--porcelain', '--untracked-files=no') !== ''
  const said = env.SOURCE_DATE_EPOCH
  if (said !== undefined && !/^\d{1,11}$/.test(said))
    throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${said}`)
  const time = said ?? committed
  return {
    version,
    commit: commit === undefined ? null : `${commit}${isChanged ? ' with changes' : ''}`,
    seconds: time === undefined ? null : Number(time),
  }
}

function git(root, ...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
